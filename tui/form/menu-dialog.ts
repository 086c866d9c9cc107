import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../state/console-state.ts';
import { menuIndex } from './menu.ts';
import { clamp } from '../state/list-cursor.ts';
import { cellWidth, fit } from '../terminal/cells.ts';
import { run, type Run } from '../text/theme.ts';
import { dialogWidth, type DialogPage } from './dialog.tsx';
import { fitRuns } from '../text/runs.ts';
import { fieldRuns } from './text-field.ts';
import type { MenuItem, MenuLayer } from '../state/layers/menu.ts';

/** Number of screen rows that a menu needs in addition to its items: frame, search line, blank line and margin. */
const ROWS_AROUND = 7;

/** Width of the kind of an item, in cells. */
const KIND_CELLS = 11;

/**
 * Returns the dialog of a menu.
 *
 * @param items the items of the menu that match its search
 */
export function menuDialog(layer: MenuLayer, items: readonly MenuItem[], size: ScreenSize): DialogPage {
  const width = dialogWidth(size.columns);
  const rows = Math.max(1, size.rows - ROWS_AROUND);
  const at = menuIndex(items, layer);
  const top = clamp(at - (rows >> 1), 0, Math.max(0, items.length - rows));
  const lines = items.slice(top, top + rows).map((item, index) => itemRuns(item, top + index === at, width));
  const search = [run('/', 'strong'), ...fieldRuns(layer.search, width - 1, true)];
  const none = [[run('nothing matches', 'faint')]];
  return { title: safeLine(layer.title), lines: [search, [], ...(lines.length === 0 ? none : lines)] };
}

function itemRuns(item: MenuItem, isCursor: boolean, width: number): readonly Run[] {
  const box = item.ticked === undefined ? '' : item.ticked ? '[x] ' : '[ ] ';
  const why = item.disabled === undefined ? '' : `  (${item.disabled})`;
  const kind = item.kind === undefined ? '' : item.kind.padEnd(KIND_CELLS);
  const left = `${isCursor ? '>' : ' '} ${box}${kind}${safeLine(item.label)}${why}`;
  const note = item.note === undefined || item.disabled !== undefined ? '' : `  ${safeLine(item.note)}`;
  const right = item.key === undefined ? '' : ` ${item.key} `;
  const available = width - cellWidth(right);
  if (isCursor) return [run(fit(left + note, available) + right, 'cursor')];
  if (item.disabled !== undefined) return fitRuns([run(left, 'faint')], width);
  return [...fitRuns([run(left), run(note, 'faint')], available), run(right, 'accent')];
}
