import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../state/console-state.ts';
import { menuIndex } from './menu.ts';
import { clamp } from '../state/list-cursor.ts';
import { cellWidth, fit } from '../terminal/cells.ts';
import { run, type Run, type Theme } from '../text/theme.ts';
import { Dialog, dialogWidth } from './dialog.tsx';
import { fitRuns, spread } from '../text/runs.ts';
import { fieldRuns } from './text-field.ts';
import type { MenuItem, MenuLayer } from '../state/layers/menu.ts';

/** Rows of a dialog that are no choices: frame, search line, blank line, and room around it. */
const ROWS_AROUND = 7;

export function MenuDialog({
  theme,
  size,
  layer,
  items,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: MenuLayer;
  /** Those that match what was typed. */
  readonly items: readonly MenuItem[];
}): ReactElement {
  const width = dialogWidth(size.columns);
  const rows = Math.max(1, size.rows - ROWS_AROUND);
  const at = menuIndex(items, layer);
  const top = clamp(at - (rows >> 1), 0, Math.max(0, items.length - rows));
  const lines = items.slice(top, top + rows).map((item, index) => itemRuns(item, top + index === at, width));
  return (
    <Dialog
      theme={theme}
      size={size}
      title={safeLine(layer.title)}
      lines={[
        [run('/', 'strong'), ...fieldRuns(layer.search, width - 1, true)],
        [],
        ...(lines.length === 0 ? [[run('nothing matches', 'faint')]] : lines),
      ]}
    />
  );
}

function itemRuns(item: MenuItem, isCursor: boolean, width: number): readonly Run[] {
  const box = item.ticked === undefined ? '' : item.ticked ? '[x] ' : '[ ] ';
  const why = item.disabled === undefined ? '' : `  (${item.disabled})`;
  const left = `${isCursor ? '>' : ' '} ${box}${safeLine(item.label)}${why}`;
  const right = item.key === undefined ? '' : `${item.key} `;
  if (isCursor) return [run(fit(left, width - cellWidth(right)) + right, 'cursor')];
  if (item.disabled !== undefined) return fitRuns([run(left, 'faint')], width);
  return spread([run(left)], [run(right, 'accent')], width);
}
