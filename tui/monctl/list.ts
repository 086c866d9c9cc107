import { isSearchMatch, type SearchLanguage } from '../../shared/domain/search-language.ts';
import { MonError } from '../../shared/errors.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { CommandCall } from './command.ts';
import { filterFlag } from './filter-flag.ts';
import { pollList, createTroubleReporter, type ListUpdate } from './poll.ts';
import { countedNoun } from './counted-noun.ts';
import { chosenColumns, ROW_OPTIONS, showRows, sortRows, valueOf, type RowList } from './rows.ts';
import { tableText } from './table.ts';
import { switchOption, valueOption, type CommandOption } from './flags.ts';

/** Options of every command that lists objects. */
export const LIST_OPTIONS: Readonly<Record<'limit' | 'watch' | keyof typeof ROW_OPTIONS, CommandOption>> = {
  ...ROW_OPTIONS,
  limit: valueOption('N', 'maximum number of rows'),
  watch: switchOption('keep running and show changes; in a pipe, print one line per change', { short: 'w' }),
};

/** Definition of a list: how its items are fetched, filtered and shown. */
export interface List<Item> extends RowList<Item> {
  /** Plural noun for the items in messages, such as `clients` in `no clients`. */
  readonly noun: string;
  /**
   * Returns the part of an item that is compared for change lines: a change elsewhere is not reported. Default: the
   * form of the item in JSON output.
   */
  comparedPart?(item: Item): unknown;
  /** Fetches all items from the backend, before `select` filters them. */
  fetch(): Promise<readonly Item[]>;
  /** Search language of `--filter`, for lists that have this option (`FILTER_OPTION`). */
  readonly search?: SearchLanguage<Item>;
  /** Filters and sorts the items. Default: all items in the order in which they were fetched. */
  select?(items: readonly Item[], nowMs: number): readonly Item[];
  /** Yields each new state of the list for `--watch`. Default: `fetch` is polled. */
  follow?(): AsyncIterable<ListUpdate<Item>>;
}

/** Prints a list once, or with `--watch` keeps showing its changes until the program is ended. */
export async function showList<Item>(call: CommandCall, all: List<Item>): Promise<void> {
  const list = filterList(call, all);
  const limit = call.flags.number('limit');
  if (call.flags.switch('watch') === true) return watchList(call, list, limit);
  const { output, nowMs } = call;
  const items = await list.fetch();
  const matching = selectItems(list, items, nowMs);
  const shown = await showRows(call, list, matching, limit);
  if (shown.length === 0) output.note(emptyListText(list, items.length));
  else if (shown.length < matching.length) output.note(countText(list, shown.length, matching.length));
}

/** Returns a list that contains only the items that match `--filter`. */
function filterList<Item>({ flags }: CommandCall, list: List<Item>): List<Item> {
  if (list.search === undefined) return list;
  const search = filterFlag(list.search, flags);
  if (search.tree === undefined) return list;
  return {
    ...list,
    select: (items, nowMs) =>
      selectItems(list, items, nowMs).filter((item) => isSearchMatch(search, item, nowMs / 1000)),
  };
}

async function watchList<Item>(call: CommandCall, list: List<Item>, limit: number | undefined): Promise<void> {
  const { format } = call.output;
  if (format === 'csv' || format === 'name') {
    throw new MonError('invalid', `--output ${format} cannot be used with --watch: use table, json or yaml`);
  }
  const sights = list.follow?.() ?? pollList(call.clock, () => list.fetch());
  const show = call.output.draw === undefined ? lineWriter(call, list) : screenWriter(call, list, call.output.draw);
  for await (const { items, trouble } of sights) {
    const matching = items === undefined ? undefined : selectItems(list, items, call.clock.now());
    const sorted = matching && sortRows({ ...call, nowMs: call.clock.now() }, list, matching);
    await show({ all: items?.length ?? 0, matching, shown: sorted?.slice(0, limit), trouble });
  }
  // Unreachable, because feeds and polling end only with an error.
  throw new MonError('internal', 'the list ended');
}

interface ListState<Item> {
  /** Number of items before `select` filters them. */
  readonly all: number;
  /** The items that `select` returned; `undefined` until the backend has sent the list. */
  readonly matching: readonly Item[] | undefined;
  readonly shown: readonly Item[] | undefined;
  readonly trouble: string | undefined;
}

function screenWriter<Item>(
  call: CommandCall,
  list: List<Item>,
  draw: (lines: readonly string[]) => void,
): (state: ListState<Item>) => Promise<void> {
  const { clock, output } = call;
  let drawn = '';
  return async (state) => {
    const { shown = [] } = state;
    const rows =
      shown.length === 0
        ? []
        : tableText(chosenColumns(call, list, clock.now(), shown), shown, output.look).split('\n');
    const screen = [safeLine(headlineText(list, state)), ...rows];
    const text = screen.join('\n');
    if (text === drawn) return;
    drawn = text;
    draw(screen);
  };
}

function headlineText<Item>(list: List<Item>, { all, matching, shown, trouble }: ListState<Item>): string {
  if (matching === undefined || shown === undefined) return trouble ?? 'connecting ...';
  const count = shown.length === 0 ? emptyListText(list, all) : countText(list, shown.length, matching.length);
  return trouble === undefined ? count : `${count}; last known state: ${trouble}`;
}

function lineWriter<Item>(call: CommandCall, list: List<Item>): (state: ListState<Item>) => Promise<void> {
  const { clock, output } = call;
  let current = new Map<string, { readonly item: Item; readonly news: string }>();
  const reportTrouble = createTroubleReporter(output);
  const say = (sign: '+' | '~' | '-', item: Item): Promise<void> =>
    output.showNext({ change: CHANGE_NAME[sign], key: list.key(item), value: valueOf(list, item) }, () =>
      [
        sign,
        ...chosenColumns(call, list, clock.now(), [item]).map((column) => cellText(column.text(item), output.look.raw)),
      ].join('\t'),
    );
  return async ({ shown, trouble }) => {
    reportTrouble(trouble);
    if (shown === undefined) return;
    const before = current;
    current = new Map(
      shown.map((item) => [
        list.key(item),
        { item, news: JSON.stringify(list.comparedPart?.(item) ?? valueOf(list, item)) },
      ]),
    );
    for (const [key, { item }] of before) if (!current.has(key)) await say('-', item);
    for (const [key, { item, news }] of current) {
      const last = before.get(key);
      if (last === undefined) await say('+', item);
      else if (last.news !== news) await say('~', item);
    }
  };
}

const CHANGE_NAME = { '+': 'added', '~': 'changed', '-': 'removed' } as const;

/** Returns the text of a cell without tabs, because tabs separate the cells of a change line. */
export function cellText(text: string, isRaw: boolean): string {
  return isRaw ? text.replaceAll(/[\t\r\n]/g, ' ') : safeLine(text);
}

function selectItems<Item>(list: List<Item>, items: readonly Item[], nowMs: number): readonly Item[] {
  return list.select?.(items, nowMs) ?? items;
}

function emptyListText({ noun }: { readonly noun: string }, all: number): string {
  return all === 0 ? `no ${noun}` : `none of ${String(all)} ${noun} matches`;
}

function countText({ noun }: { readonly noun: string }, shown: number, total: number): string {
  return shown === total ? countedNoun(total, noun) : `${String(shown)} of ${String(total)} ${noun}`;
}
