import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import { run, type Line, type Run, type Tone } from './theme.ts';
import { cutCells, wrapCells } from './wrap-cells.ts';

/** A label with its description. The description is a text or rendered rows. */
export interface Description {
  readonly label: string;
  /** The description: one line, possibly untrusted, or several lines that are already safe for a terminal. */
  readonly text?: string | readonly string[];
  /** Tone of the text. Default: `plain`. */
  readonly tone?: Tone;
  readonly rows?: readonly Line[];
}

/** A blank row between two groups of descriptions. */
export const BLANK_DESCRIPTION: Description = { label: '', rows: [[]] };

/** Width of the column of labels in cells, including the gap after them. */
const LABEL_CELLS = 11;

/**
 * Returns rows with the labels on the left and the descriptions beside them. If a description has several rows, only
 * the first row has its label.
 *
 * @param width total width in cells
 * @param cells width of the column of labels in cells
 * @param wraps true to wrap a long text, the default; false to cut it
 */
export function descriptionLines(
  all: readonly Description[],
  { width, cells = LABEL_CELLS, wraps = true }: { width: number; cells?: number; wraps?: boolean },
): readonly Line[] {
  const rowsOf = ({ text = [], tone, rows }: Description): readonly Line[] =>
    rows ??
    (typeof text === 'string' ? [safeLine(text)] : text)
      .flatMap((line) => (wraps ? wrapCells(line, width - cells) : cutCells(line, width - cells)))
      .map((piece) => [run(piece, tone)]);
  return all.flatMap((one) =>
    rowsOf(one).map((row, index) =>
      one === BLANK_DESCRIPTION ? row : [labelRun(index === 0 ? one.label : '', cells)].concat(row),
    ),
  );
}

/** Returns a label as `descriptionLines` draws it, for a row that is drawn separately. */
export function labelRun(text: string, cells = LABEL_CELLS): Run {
  return run(` ${text}`.padEnd(cells), 'faint');
}

/** Maximum number of lines of one text that are shown. */
const LINES_MAX = 5000;

/**
 * Returns the lines of an untrusted text, at most `LINES_MAX` of them, safe for a terminal.
 *
 * @param fullTextHint where to find the full text, shown in place of the omitted lines; without it, nothing shows that
 *   lines are omitted
 */
export function boundedLines(text: string, fullTextHint?: string): readonly string[] {
  const lines = safeText(text.trimEnd()).split('\n');
  const moreCount = lines.length - LINES_MAX;
  if (moreCount <= 0) return lines;
  const said = fullTextHint === undefined ? [] : [`… and ${String(moreCount)} more lines: ${fullTextHint}`];
  return [...lines.slice(0, LINES_MAX), ...said];
}

/** Returns rows of text lines that are indented by `indent` blanks, and wrapped or cut to `width` cells. */
export function textRows(
  lines: readonly string[],
  { width, indent = 1, wraps = true }: { width: number; indent?: number; wraps?: boolean },
): readonly Line[] {
  const textWidth = width - indent;
  return lines
    .flatMap((line) => (wraps ? wrapCells(line, textWidth) : cutCells(line, textWidth)))
    .map((piece) => [run(' '.repeat(indent) + piece)]);
}

/**
 * Cache of rendered rows. A text can have a megabyte, so it is rendered once for each source object, not for each
 * frame.
 */
export class RowCache<Source extends object> {
  readonly #cachedRows = new WeakMap<Source, { readonly look: string; readonly rows: readonly Line[] }>();

  /**
   * Returns the rows of a source, and calls `make` to render them if they are not in the cache.
   *
   * @param look a text that contains all other inputs of the rows, such as the width. If it differs from the last call,
   *   the rows are rendered again
   */
  rowsOf(source: Source, look: string, make: () => readonly Line[]): readonly Line[] {
    const kept = this.#cachedRows.get(source);
    if (kept?.look === look) return kept.rows;
    const rows = make();
    this.#cachedRows.set(source, { look, rows });
    return rows;
  }
}
