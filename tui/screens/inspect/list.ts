import { isSearchMatch, readSearch, type ParsedSearch } from '../../../shared/domain/search-language.ts';
import type { SearchProblem } from '../../../shared/domain/search-syntax.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import { inspectRows, isMember, type InspectRow } from './rows.ts';
import { inspectTableOf } from './tables.ts';
import type { SortState } from '../../model/list-order.ts';

/** Returns the rows that match the filter, in the chosen order. By default the worst come first. */
export function shownRows(layer: InspectLayer, nowSeconds: number): readonly InspectRow[] {
  const all = inspectRows(layer);
  const search = rowSearch(layer);
  const filter = search?.kind === 'search' && search.tree !== undefined ? search : undefined;
  if (filter === undefined && layer.sort === undefined) return all;
  const memo = shownRowsCache.get(all);
  if (memo?.text === filter?.text && memo?.sort === layer.sort && filter?.usesTime !== true) return memo?.rows ?? all;
  const blocks = blocksOf(all).filter(([head]) => filter === undefined || isSearchMatch(filter, head, nowSeconds));
  const rows = sortBlocks(blocks, layer).flat();
  shownRowsCache.set(all, { text: filter?.text, sort: layer.sort, rows });
  return rows;
}

const shownRowsCache = new WeakMap<
  readonly InspectRow[],
  {
    readonly text: string | undefined;
    readonly sort: SortState | undefined;
    readonly rows: readonly InspectRow[];
  }
>();

/** Returns the search that filters the rows, or the problem with its text; `undefined` if the layer shows no rows. */
export function rowSearch({
  load: { data },
  raw,
  search,
}: InspectLayer): ParsedSearch<InspectRow> | SearchProblem | undefined {
  const table = data === undefined || raw ? undefined : inspectTableOf(data.kind);
  return table && readSearch(table.search, search.line.text);
}

/** A row, followed by the member rows below it if the row is an open group. */
type RowBlock = readonly [head: InspectRow, ...members: InspectRow[]];

function blocksOf(rows: readonly InspectRow[]): readonly RowBlock[] {
  const blocks: [InspectRow, ...InspectRow[]][] = [];
  for (const row of rows) {
    const block = blocks.at(-1);
    if (isMember(row) && block !== undefined) block.push(row);
    else blocks.push([row]);
  }
  return blocks;
}

function sortBlocks(blocks: readonly RowBlock[], { sort, load: { data } }: InspectLayer): readonly RowBlock[] {
  const table = data && inspectTableOf(data.kind);
  const compare = table?.columns.find(({ id }) => id === sort?.column)?.compare;
  if (compare === undefined || sort === undefined) return blocks;
  const sign = sort.reversed ? -1 : 1;
  return blocks.toSorted(([a], [b]) => sign * compare(a, b));
}
