import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../state/console-state.ts';
import { menuIndex } from './menu.ts';
import { clamp } from '../state/list-cursor.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { run, type Line } from '../text/theme.ts';
import { dialogWidth, type DialogPage } from './dialog.tsx';
import { fitRuns } from '../text/runs.ts';
import { wrapCells } from '../text/wrap-cells.ts';
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
  const itemLines = items.map((item, index) => linesOf(item, index === at, width));
  const all = itemLines.flat();
  const cursorRow = itemLines.slice(0, Math.max(0, at)).flat().length;
  const top = clamp(cursorRow - (rows >> 1), 0, Math.max(0, all.length - rows));
  const lines = all.slice(top, top + rows);
  const search = [run('/', 'strong'), ...fieldRuns(layer.search, width - 1, true)];
  const none = [[run('nothing matches', 'faint')]];
  return { title: safeLine(layer.title), lines: [search, [], ...(lines.length === 0 ? none : lines)] };
}

/** Returns the lines of an item. A long label continues in further lines, so that it is complete beside the key. */
function linesOf(item: MenuItem, isCursor: boolean, width: number): readonly Line[] {
  const isDisabled = item.disabled !== undefined;
  const box = item.ticked === undefined ? '' : item.ticked ? '[x] ' : '[ ] ';
  const why = item.disabled === undefined ? '' : `  (${item.disabled})`;
  const kind = item.kind === undefined ? '' : item.kind.padEnd(KIND_CELLS);
  const note = item.note === undefined || isDisabled ? '' : `  ${safeLine(item.note)}`;
  const key = item.key === undefined ? '' : ` ${item.key} `;
  const lead = `${isCursor ? '>' : ' '} ${box}${kind}`;
  const available = width - cellWidth(key);
  const pieces = wrapCells(`${safeLine(item.label)}${why}`, available - cellWidth(lead));
  return pieces.map((piece, index) => {
    const left = index === 0 ? lead + piece : ' '.repeat(cellWidth(lead)) + piece;
    const right = index === 0 ? key : ' '.repeat(cellWidth(key));
    const end = index === pieces.length - 1 ? note : '';
    if (isCursor) return [run(fitToWidth(left + end, available) + right, 'cursor')];
    const tone = isDisabled ? 'faint' : 'plain';
    const texts = fitRuns([run(left, tone), run(end, 'faint')], available);
    return texts.concat(run(right, isDisabled ? 'faint' : 'accent'));
  });
}
