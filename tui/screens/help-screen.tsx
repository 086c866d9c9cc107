import type { ReactElement } from 'react';
import { Row } from '../components/row.tsx';
import { Rows } from '../components/rows.tsx';
import { spread } from '../components/runs.ts';
import type { HelpLayer, ScreenSize } from '../store/console-state.ts';
import { helpLines, type HelpLine } from '../store/help-lines.ts';
import { helpBodyRows } from '../store/screen-layout.ts';
import { cutCells } from '../store/wrap-cells.ts';
import { cellWidth, fit } from '../terminal/cells.ts';
import { run, type Run, type Theme } from '../theme.ts';

export function HelpScreen({
  theme,
  size,
  layer,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: HelpLayer;
}): ReactElement {
  const { columns, rows } = size;
  const lines = helpLines();
  const body = helpBodyRows(rows);
  const keyCells = Math.max(...lines.map(({ keys }) => cellWidth(keys)));
  const last = Math.min(lines.length, layer.top + body);
  return (
    <>
      <Row
        theme={theme}
        runs={spread(
          [run(' mon: keys', 'strong')],
          [run(`${String(layer.top + 1)}-${String(last)} of ${String(lines.length)} `, 'faint')],
          columns,
        )}
      />
      <Rows
        theme={theme}
        lines={lines.slice(layer.top, last).map((line) => lineRuns(line, keyCells, columns))}
        height={body}
      />
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <Row theme={theme} runs={[run(' j/k', 'accent'), run(' scroll '), run(' Esc', 'accent'), run(' close')]} />
    </>
  );
}

function lineRuns({ kind, keys, text }: HelpLine, keyCells: number, columns: number): readonly Run[] {
  if (kind === 'heading') return [run(` ${text}`, 'strong')];
  if (kind === 'blank') return [];
  return [run(`   ${fit(keys, keyCells)}  `, 'accent'), run(cutCells(text, columns - keyCells - 6))];
}
