import { SEARCH_LENGTH_MAX, type SearchProblem } from '../../../shared/domain/search-syntax.ts';
import type { AnyTable, TableColumn } from './table-view.ts';

/** Whether a row of a table matches. */
export type TableFilter = (row: unknown, nowMs: number) => boolean;

/**
 * Reads the filter of a table. Words between spaces, all of which must hold; letter case never counts:
 *
 * - `edge`: this text somewhere in the row
 * - `version=1.0`: this text in the column of that title
 * - `!edge`, `!version=1.0`: not so
 *
 * The text is compared, never run as a pattern.
 */
export function parseTableFilter(table: AnyTable, text: string): TableFilter | SearchProblem {
  if (text.length > SEARCH_LENGTH_MAX) {
    const message = `the filter is longer than ${String(SEARCH_LENGTH_MAX)} characters: shorten it`;
    return { kind: 'problem', message, position: SEARCH_LENGTH_MAX };
  }
  const words: TableFilter[] = [];
  for (const match of text.matchAll(/\S+/g)) {
    const word = readWord(table, match[0], match.index);
    if (typeof word !== 'function') return word;
    words.push(word);
  }
  return (row, nowMs) => words.every((word) => word(row, nowMs));
}

function readWord(table: AnyTable, text: string, position: number): TableFilter | SearchProblem {
  const isNot = text.startsWith('!');
  const wanted = (isNot ? text.slice(1) : text).toLowerCase();
  const equals = wanted.indexOf('=');
  if (equals <= 0) {
    return (row) => table.search(row).toLowerCase().includes(wanted) !== isNot;
  }
  const name = wanted.slice(0, equals);
  const value = wanted.slice(equals + 1);
  const column = table.columns.find(({ id, title }) => id === name || title.toLowerCase() === name);
  if (column === undefined) return unknownColumn(name, table.columns, position);
  return (row, nowMs) => column.text(row, nowMs).toLowerCase().includes(value) !== isNot;
}

function unknownColumn(name: string, columns: readonly TableColumn<unknown>[], position: number): SearchProblem {
  const names = columns.map(({ id }) => id).join(', ');
  return { kind: 'problem', message: `there is no column ${name}: use ${names}`, position };
}
