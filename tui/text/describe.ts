import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import { run, type Line, type Run, type Tone } from './theme.ts';
import { cutCells, wrapCells } from './wrap-cells.ts';

/** A description under one label: a text, or rendered rows. */
export interface Described {
  readonly label: string;
  /** One line, which may come from outside, or several lines that are safe for a terminal. */
  readonly text?: string | readonly string[];
  /** Tone of the text. Default `plain`. */
  readonly tone?: Tone;
  readonly rows?: readonly Line[];
}

/** The separator between two groups. */
export const BLANK: Described = { label: '', rows: [[]] };

/** Width of the labels in cells, with the gap after them. */
const LABEL_CELLS = 11;

/**
 * Returns labels on the left and their descriptions beside them. A label is only on the first of its rows.
 *
 * @param width total width in cells
 * @param wraps true to wrap a long text, the default; false to cut it
 */
export function describe(
  all: readonly Described[],
  { width, cells = LABEL_CELLS, wraps = true }: { width: number; cells?: number; wraps?: boolean },
): readonly Line[] {
  const rowsOf = ({ text = [], tone, rows }: Described): readonly Line[] =>
    rows ??
    (typeof text === 'string' ? [safeLine(text)] : text)
      .flatMap((line) => (wraps ? wrapCells(line, width - cells) : cutCells(line, width - cells)))
      .map((piece) => [run(piece, tone)]);
  return all.flatMap((one) =>
    rowsOf(one).map((row, index) =>
      one === BLANK ? row : [labelRun(index === 0 ? one.label : '', cells)].concat(row),
    ),
  );
}

/** Returns the label of a row that is drawn separately. */
export function labelRun(text: string, cells = LABEL_CELLS): Run {
  return run(` ${text}`.padEnd(cells), 'faint');
}

/** Maximum number of lines of one text. */
const LINES_MAX = 5000;

/**
 * Returns the lines of a text from outside, limited in number and safe for a terminal.
 *
 * @param fullTextHint where to find the full text, shown in place of the omitted lines
 */
export function boundedLines(text: string, fullTextHint?: string): readonly string[] {
  const lines = safeText(text.trimEnd()).split('\n');
  const moreCount = lines.length - LINES_MAX;
  if (moreCount <= 0) return lines;
  const said = fullTextHint === undefined ? [] : [`… and ${String(moreCount)} more lines: ${fullTextHint}`];
  return [...lines.slice(0, LINES_MAX), ...said];
}

/** Returns lines unchanged, each indented by `indent` blanks. */
export function textRows(
  lines: readonly string[],
  { width, indent = 1, wraps = true }: { width: number; indent?: number; wraps?: boolean },
): readonly Line[] {
  const textWidth = width - indent;
  return lines
    .flatMap((line) => (wraps ? wrapCells(line, textWidth) : cutCells(line, textWidth)))
    .map((piece) => [run(' '.repeat(indent) + piece)]);
}

/** Cached rows of texts that may have a megabyte: rendered once for each source, not once for each frame. */
export class KeptRows<Source extends object> {
  readonly #kept = new WeakMap<Source, { readonly look: string; readonly rows: readonly Line[] }>();

  /**
   * Returns the rows, and renders them if necessary.
   *
   * @param look the other inputs of the rows; a different value renders them again
   */
  of(source: Source, look: string, make: () => readonly Line[]): readonly Line[] {
    const kept = this.#kept.get(source);
    if (kept?.look === look) return kept.rows;
    const rows = make();
    this.#kept.set(source, { look, rows });
    return rows;
  }
}
