import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import { run, type Line, type Run, type Tone } from './theme.ts';
import { cutCells, wrapCells } from './wrap-cells.ts';

/** What is said of a thing under one label: a text, or rows that are drawn already. */
export interface Described {
  readonly label: string;
  /** One line, which may come from outside, or several that are safe for a terminal. */
  readonly text?: string | readonly string[];
  /** Of the text. Default `plain`. */
  readonly tone?: Tone;
  readonly rows?: readonly Line[];
}

/** Between two groups. */
export const BLANK: Described = { label: '', rows: [[]] };

/** Cells of the labels, the gap to the texts included. */
const LABEL_CELLS = 11;

/**
 * Labels at the left, what is said beside them. A label stands at the first of its rows only.
 *
 * @param width of the whole, in cells
 * @param wraps a text too long for its row goes on in the next one. Default true; otherwise it is cut
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

/** The label of a row that is drawn by itself. */
export function labelRun(text: string, cells = LABEL_CELLS): Run {
  return run(` ${text}`.padEnd(cells), 'faint');
}

/** Most lines of one text that are shown. */
const LINES_MAX = 5000;

/**
 * The lines of a text from outside, bounded and safe for a terminal.
 *
 * @param whole where all of them are to be had, said in place of those that are left out
 */
export function boundedLines(text: string, whole?: string): readonly string[] {
  const lines = safeText(text.trimEnd()).split('\n');
  const rest = lines.length - LINES_MAX;
  if (rest <= 0) return lines;
  const said = whole === undefined ? [] : [`… and ${String(rest)} more lines: ${whole}`];
  return [...lines.slice(0, LINES_MAX), ...said];
}

/** Lines as they are, each behind `indent` blanks. */
export function textRows(
  lines: readonly string[],
  { width, indent = 1, wraps = true }: { width: number; indent?: number; wraps?: boolean },
): readonly Line[] {
  const room = width - indent;
  return lines
    .flatMap((line) => (wraps ? wrapCells(line, room) : cutCells(line, room)))
    .map((piece) => [run(' '.repeat(indent) + piece)]);
}

/** Rows of texts that may have a megabyte: made once for what they are made of, not once per frame. */
export class KeptRows<Source extends object> {
  readonly #kept = new WeakMap<Source, { readonly look: string; readonly rows: readonly Line[] }>();

  /** @param look what the rows depend on besides their source: another one makes them anew */
  of(source: Source, look: string, make: () => readonly Line[]): readonly Line[] {
    const kept = this.#kept.get(source);
    if (kept?.look === look) return kept.rows;
    const rows = make();
    this.#kept.set(source, { look, rows });
    return rows;
  }
}
