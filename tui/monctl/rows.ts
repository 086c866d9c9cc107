import { parseDuration } from '../../shared/schemas/parse-duration.ts';
import { compareText } from '../../shared/domain/compare-text.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { MonError } from '../../shared/errors.ts';
import type { CommandCall } from './command.ts';
import { valueOption, type CommandOption } from './flags.ts';
import { parseJsonPath, selectValues } from './json-path.ts';
import type { OutputFormat } from './output.ts';
import { tableText, type Column } from './table.ts';

/** Options of every command that prints rows. Commands with these options support all output formats. */
export const ROW_OPTIONS: Readonly<Record<'columns' | 'sort', CommandOption>> = {
  columns: valueOption('NAME,...', 'show these columns, or attributes of the JSON output such as client.address'),
  sort: valueOption('NAME', 'sort by this column or attribute; -NAME: in reverse order', { takesDash: true }),
};

/** Rows that a command prints. */
export interface RowList<Item> {
  /**
   * Returns the columns of the table.
   *
   * @param shown items that the table shows; a column that is empty for all of them may be left out
   */
  columns(nowMs: number, shown: readonly Item[]): readonly Column<Item>[];
  /** Returns the key that identifies an item in each update of the list. */
  key(item: Item): string;
  /** Returns the form of an item in JSON and YAML output. Default: the item itself. */
  value?(item: Item): unknown;
  /** The JSON and YAML output of the command. Default: the list of the items. */
  readonly document?: object;
}

/** Returns the form of an item in JSON and YAML output. */
export function valueOf<Item>(list: RowList<Item>, item: Item): unknown {
  return list.value === undefined ? item : list.value(item);
}

/**
 * Prints items in the format of the call, in the order of `--sort` and with the columns of `--columns`.
 *
 * @param limit maximum number of rows
 * @returns the printed items
 * @throws MonError `invalid` when `--columns` or `--sort` name a column that does not exist
 */
export async function showRows<Item>(
  call: CommandCall,
  list: RowList<Item>,
  items: readonly Item[],
  limit?: number,
): Promise<readonly Item[]> {
  const { output, nowMs } = call;
  rejectUnknownColumns(call, list, items);
  const rows = sortRows(call, list, items).slice(0, limit);
  const text = (): string => {
    if (output.format === 'name') return rows.map((row) => safeLine(list.key(row))).join('\n');
    if (rows.length === 0) return '';
    const columns = chosenColumns(call, list, nowMs, rows);
    return output.format === 'csv' ? csvText(columns, rows, output.look) : tableText(columns, rows, output.look);
  };
  await output.show(list.document ?? rows.map((row) => valueOf(list, row)), text);
  return rows;
}

function rejectUnknownColumns<Item>(
  { flags, output, nowMs }: CommandCall,
  list: RowList<Item>,
  items: readonly Item[],
): void {
  if (flags.value('columns') !== undefined && !COLUMN_FORMATS.has(output.format)) {
    throw new MonError('invalid', `--columns works with --output ${[...COLUMN_FORMATS].join(', ')}`);
  }
  if (items.length === 0) return;
  const names = list.columns(nowMs, items).map(columnName);
  const sort = flags.value('sort')?.replace(/^-/, '');
  for (const name of [...(flags.list('columns') ?? []), ...(sort === undefined ? [] : [sort])]) {
    if (names.includes(name.toLowerCase())) continue;
    const { has } = attributeColumn(list, name);
    if (items.some(has)) continue;
    const similar = findNearest(name, names);
    const advice = similar === undefined ? `the columns are ${names.join(', ')}` : `did you mean ${similar}?`;
    throw new MonError('invalid', `there is no column or attribute ${JSON.stringify(name)}: ${advice}`);
  }
}

const COLUMN_FORMATS: ReadonlySet<OutputFormat> = new Set<OutputFormat>(['table', 'wide', 'csv']);

/**
 * Returns the columns to show: those of `--columns`, or else those of the list, without its wide columns unless the
 * format is `wide`.
 */
export function chosenColumns<Item>(
  { flags, output }: Pick<CommandCall, 'flags' | 'output'>,
  list: RowList<Item>,
  nowMs: number,
  shown: readonly Item[],
): readonly Column<Item>[] {
  const all = list.columns(nowMs, shown);
  const names = flags.list('columns');
  if (names === undefined) return all.filter(({ isWide }) => isWide !== true || output.format === 'wide');
  return names.map((name) => findColumn(list, name, all));
}

function findColumn<Item>(list: RowList<Item>, name: string, all: readonly Column<Item>[]): Column<Item> {
  return all.find((one) => columnName(one) === name.toLowerCase()) ?? attributeColumn(list, name);
}

/** Returns the items in the order of `--sort`; without it, in their own order. Items without a value come last. */
export function sortRows<Item>(
  { flags, nowMs }: Pick<CommandCall, 'flags' | 'nowMs'>,
  list: RowList<Item>,
  items: readonly Item[],
): readonly Item[] {
  const field = flags.value('sort');
  if (field === undefined || items.length === 0) return items;
  const isReversed = field.startsWith('-');
  const name = isReversed ? field.slice(1) : field;
  const column = findColumn(list, name, list.columns(nowMs, items));
  const keyed = items.map((item) => ({ item, key: sortKey(column, item) }));
  const direction = isReversed ? -1 : 1;
  return keyed
    .toSorted((a, b) => {
      if (a.key === '' || b.key === '') return Number(a.key === '') - Number(b.key === '');
      return direction * compareKeys(a.key, b.key);
    })
    .map(({ item }) => item);
}

/** Returns the name of a column on the command line, such as `last-seen` for the title `LAST SEEN`. */
function columnName({ title }: Pick<Column<never>, 'title'>): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Returns a column for an attribute of the JSON output, and whether an item has this attribute. */
function attributeColumn<Item>(
  list: RowList<Item>,
  name: string,
): Column<Item> & { readonly has: (item: Item) => boolean } {
  const path = parseJsonPath(name);
  const values = (item: Item): readonly unknown[] => selectValues(valueOf(list, item), path);
  return {
    title: name.toUpperCase(),
    has: (item) => values(item).length > 0,
    text: (item) => values(item).map(attributeText).join(', '),
    order: (item) => {
      const [value = ''] = values(item);
      return typeof value === 'number' ? value : attributeText(value);
    },
  };
}

function attributeText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  return Array.isArray(value) ? value.map(attributeText).join(', ') : JSON.stringify(value);
}

/** Returns the value of an item that `--sort` compares: a number, or a text that is empty if there is no value. */
function sortKey<Item>(column: Column<Item>, item: Item): number | string {
  if (column.order !== undefined) return column.order(item);
  const text = column.text(item);
  const number = /^-?\d+(?:\.\d+)?/.exec(text);
  if (number?.[0] === text || /^-?[\d.]+ ?%$/.test(text)) return Number(number?.[0]);
  // Durations as columns show them: `4m10s`, `in 2h`, `2d ago`.
  return parseDuration(text.replace(/^in /, '').replace(/ ago$/, '')) ?? text;
}

function compareKeys(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/**
 * Formats rows as CSV (RFC 4180) with a line of column names. Lines end with a line feed only, as Unix tools expect. A
 * cell that a spreadsheet would run as a formula gets an apostrophe in front.
 */
export function csvText<Item>(
  columns: readonly Column<Item>[],
  rows: readonly Item[],
  { raw, headers }: { readonly raw: boolean; readonly headers?: boolean },
): string {
  const lines = rows.map((row) =>
    columns.map((column) => csvCell(raw ? column.text(row) : safeLine(column.text(row)))),
  );
  return [...(headers === false ? [] : [columns.map((column) => csvCell(columnName(column)))]), ...lines]
    .map((cells) => cells.join(','))
    .join('\n');
}

function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]./s.test(text) && !/^[+-]?\d+(?:\.\d+)?(?: ?%)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
