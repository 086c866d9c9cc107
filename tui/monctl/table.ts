import { styleText } from 'node:util';
import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';

export type CellStyle = Parameters<typeof styleText>[0];

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  text(row: Row): string;
  style?(row: Row): CellStyle | undefined;
  /** True if the column is shown only in the output format `wide` or if `--columns` names it. */
  readonly isWide?: boolean;
  /** Returns the value that `--sort` compares. Default: the text, or its number or duration. */
  order?(row: Row): number | string;
}

export interface TableStyle {
  /** Width of the terminal in cells; the last column is cut to fit. `undefined` means unlimited, for pipes. */
  readonly width: number | undefined;
  readonly color: boolean;
  /** True to print text from clients and checks without escaping its control characters. */
  readonly raw: boolean;
  /** False to print no line of column titles. Default: true. */
  readonly headers?: boolean;
}

/**
 * Formats rows as a table below a line of column titles. Columns are aligned by terminal cells and two spaces apart.
 */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: TableStyle): string {
  const clean = look.raw ? (text: string): string => text : safeLine;
  const cells = rows.map((row) => columns.map((column) => clean(column.text(row))));
  const widths = columns.map(({ title }, index) =>
    cells.reduce((widest, line) => Math.max(widest, cellWidth(line[index] ?? '')), title.length),
  );
  const lastIndex = columns.length - 1;
  const taken = widths.slice(0, lastIndex).reduce((sum, width) => sum + width + 2, 0);

  const line = (texts: readonly string[], row?: Row): string =>
    columns
      .map((column, index) => {
        const text = texts[index] ?? '';
        const style = look.color && row !== undefined ? column.style?.(row) : undefined;
        const cell =
          index === lastIndex ? lastCell(text, taken, look.width) : fitToWidth(text, widths[index] ?? 0, column);
        return style === undefined ? cell : styleText(style, cell, { validateStream: false });
      })
      .join('  ')
      .trimEnd();

  const titles = line(columns.map(({ title }) => title));
  const head = look.color ? styleText('bold', titles, { validateStream: false }) : titles;
  return [...(look.headers === false ? [] : [head]), ...rows.map((row, index) => line(cells[index] ?? [], row))].join(
    '\n',
  );
}

/**
 * Returns the last cell of a row without padding. On a terminal the cell is truncated, because a wrapped line would
 * break the columns.
 */
function lastCell(text: string, taken: number, width: number | undefined): string {
  if (width === undefined || taken + cellWidth(text) <= width) return text;
  return fitToWidth(text, Math.max(10, width - taken), {});
}

/** Formats names and values as two aligned columns, one pair per line. */
export function recordText(fields: readonly (readonly [name: string, value: string])[], { raw }: TableStyle): string {
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${raw ? value : safeLine(value)}`.trimEnd()).join('\n');
}

/** Formats names and values as `recordText` does, followed by the output of a check. */
export function recordWithOutput(
  fields: readonly (readonly [name: string, value: string])[],
  output: string,
  look: TableStyle,
): string {
  const text = (look.raw ? output : safeText(output)).trimEnd();
  return `${recordText(fields, look)}\n\n${text === '' ? '(no output)' : text}`;
}
