import { cellWidth } from './cells.ts';

/** A row of the terminal, split into cells. */
interface RowCells {
  /** The text of each cell; an empty text is the second half of a wide character in the cell before. */
  readonly texts: readonly string[];
  /** The SGR parameters (color and style) that are active in each cell. */
  readonly looks: readonly string[];
}

const SGR_SEQUENCE = /\u001B\[([\d;]*)m/y;

/**
 * Matches a row that cannot be split into cells: it contains characters that move the cursor, or whose width differs
 * between terminals.
 */
const UNCERTAIN_CHARACTERS =
  /[\0-\u001A\u001C-\u001F\u007F-\u009F\p{M}\p{Default_Ignorable_Code_Point}\u{10000}-\u{10FFFF}]/u;

/**
 * Number of unchanged cells whose text is as long as the sequence that moves the cursor over them (`ESC [ n n n G`).
 */
const UNCHANGED_GAP_CELLS = 6;

/**
 * Returns the output that changes the row `previous` of a terminal to `next`; only different cells are written. For
 * example, a table of events changes only the ages each second, two of a hundred cells in each row. The cursor is in
 * the row before and after the output, in any column; no style is active before or after. The build makes Ink call this
 * function.
 *
 * @param columns width of the terminal in cells
 */
export function rowChange(previous: string, next: string, columns: number): string {
  const fullRow = `\u001B[1G\u001B[K${next}`;
  const before = cellsOf(previous);
  const after = cellsOf(next);
  if (before === undefined || after === undefined) return fullRow;
  if (!(Math.max(before.texts.length, after.texts.length) <= columns)) return fullRow;
  const change = changeOf(before, after);
  return change.length < fullRow.length ? change : fullRow;
}

function changeOf(before: RowCells, after: RowCells): string {
  const { length } = after.texts;
  const isSame = (at: number): boolean =>
    at < before.texts.length
      ? before.texts[at] === after.texts[at] && before.looks[at] === after.looks[at]
      : after.texts[at] === ' ' && after.looks[at] === '';
  let change = '';
  for (let at = 0; at < length;) {
    if (isSame(at)) {
      at++;
      continue;
    }
    let end = at + 1;
    for (let look = end; look < length && look - end < UNCHANGED_GAP_CELLS; look++) if (!isSame(look)) end = look + 1;
    // A wide character has two cells. They are always written together.
    while (after.texts[end] === '') end++;
    change += `\u001B[${String(at + 1)}G${textOf(after, at, end)}`;
    at = end;
  }
  if (before.texts.length > length) change += `\u001B[${String(length + 1)}G\u001B[K`;
  return change;
}

function textOf({ texts, looks }: RowCells, from: number, to: number): string {
  let text = '';
  let look = '';
  for (let at = from; at < to; at++) {
    const next = looks[at] ?? '';
    if (next !== look) {
      if (look !== '') text += '\u001B[m';
      if (next !== '') text += `\u001B[${next}m`;
      look = next;
    }
    text += texts[at] ?? '';
  }
  return look === '' ? text : `${text}\u001B[m`;
}

/**
 * Cache of rows that are split into cells: each row of a frame is needed again as the previous row of the next frame.
 */
const rowCellsCache = new Map<string, RowCells>();
const CACHED_ROWS_MAX = 512;

function cellsOf(row: string): RowCells | undefined {
  const cached = rowCellsCache.get(row);
  if (cached !== undefined) return cached;
  if (rowCellsCache.size >= CACHED_ROWS_MAX) rowCellsCache.clear();
  const cells = splitCells(row);
  if (cells !== undefined) rowCellsCache.set(row, cells);
  return cells;
}

/**
 * Splits a row of the screen into terminal cells.
 *
 * @returns the cells; `undefined` if the position of a character on the terminal is uncertain
 */
function splitCells(row: string): RowCells | undefined {
  if (UNCERTAIN_CHARACTERS.test(row)) return undefined;
  const texts: string[] = [];
  const looks: string[] = [];
  const on = new Map<string, string>();
  let look = '';
  for (let at = 0; at < row.length;) {
    if (row.charCodeAt(at) === 0x1b) {
      SGR_SEQUENCE.lastIndex = at;
      const parameters = SGR_SEQUENCE.exec(row)?.[1];
      if (parameters === undefined || !applySequence(on, parameters)) return undefined;
      look = [...on.values()].join(';');
      at = SGR_SEQUENCE.lastIndex;
      continue;
    }
    const character = row.charAt(at++);
    const width = character <= '~' ? 1 : cellWidth(character);
    if (width === 0) return undefined;
    texts.push(character);
    looks.push(look);
    if (width === 1) continue;
    texts.push('');
    looks.push(look);
  }
  return { texts, looks };
}

/** The styles, such as bold, that each SGR parameter turns off. */
const STYLES_TURNED_OFF: Readonly<Record<string, readonly string[]>> = {
  '22': ['bold', 'dim'],
  '23': ['italic'],
  '24': ['underline'],
  '27': ['inverse'],
  '29': ['struck'],
  '39': ['foreground'],
  '49': ['background'],
};

const STYLES_TURNED_ON: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '3': 'italic',
  '4': 'underline',
  '7': 'inverse',
  '9': 'struck',
};

/**
 * Applies an SGR sequence to `on`, whose values are the active styles.
 *
 * @returns false if the sequence has an unknown parameter; otherwise true
 */
function applySequence(on: Map<string, string>, sequence: string): boolean {
  const color = /^(?:(?:(3|9)|(4|10))[0-7]|(?:(38)|(48));(?:5;\d+|2;\d+;\d+;\d+))$/.exec(sequence);
  if (color !== null) {
    on.set((color[1] ?? color[3]) === undefined ? 'background' : 'foreground', sequence);
    return true;
  }
  for (const parameter of sequence.split(';')) {
    const look = STYLES_TURNED_ON[parameter];
    if (look !== undefined) on.set(look, parameter);
    else if (parameter === '' || parameter === '0') on.clear();
    else if (STYLES_TURNED_OFF[parameter] === undefined) return false;
    else for (const one of STYLES_TURNED_OFF[parameter]) on.delete(one);
  }
  return true;
}
