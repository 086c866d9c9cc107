import { expect, test } from 'vitest';
import { menuDialog } from '../../../tui/form/menu-dialog.ts';
import { runsWidth } from '../../../tui/text/runs.ts';
import { EMPTY_LINE } from '../../../tui/text/line-editor.ts';
import type { MenuItem } from '../../../tui/state/layers/menu.ts';

function linesOf(items: readonly MenuItem[], size: { columns: number; rows: number }, at?: string): readonly string[] {
  const layer = { kind: 'menu', title: 'Actions', items: () => items, search: EMPTY_LINE, at } as const;
  const { lines } = menuDialog(layer, items, size);
  for (const line of lines) expect(runsWidth(line)).toBeLessThanOrEqual(size.columns - 8);
  return lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

function item(id: string, label: string): MenuItem {
  return { id, label, key: 'R', choose: () => {} };
}

test('a long label of a menu continues in the next line, so that it is complete beside its key', () => {
  const label = 'run the check now, in addition to its schedule; while disconnected: reconnect';
  const lines = linesOf([item('run', label), item('open', 'open the row')], { columns: 60, rows: 24 });
  expect(lines.slice(2)).toEqual([
    '> run the check now, in addition to its           R',
    '  schedule; while disconnected: reconnect',
    '  open the row                                    R',
  ]);
});

test('the item under the cursor of a long menu is visible', () => {
  const items = Array.from({ length: 40 }, (_, at) =>
    item(String(at), `item ${String(at)} ${'with many words '.repeat(6)}`),
  );
  const lines = linesOf(items, { columns: 60, rows: 16 }, '30');
  expect(lines.some((line) => line.startsWith('> item 30 '))).toBe(true);
});
