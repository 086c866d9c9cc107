import { isSearchMatch, readSearch, type ParsedSearch } from '../../shared/domain/search-language.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ScreenView } from '../state/ports.ts';
import { quickViews } from '../state/saved-view.ts';
import { tableOf } from './tables.ts';

/** Number of rows that are evaluated for one frame: less than a millisecond, or a few while search texts are built. */
const ROWS_PER_FRAME = 2500;

/** Milliseconds after the end of a count before the rows are counted again. */
const PAUSE_MS = 1000;

/** The views whose rows the feed always sends. The rows of other views are only up to date while they are shown. */
const COUNTED_VIEWS: ReadonlySet<string> = new Set(['events', 'clients', 'silences']);

/** A count of the rows that match a saved view, in progress. */
interface SavedCount {
  readonly name: string;
  readonly rows: Iterator<boolean>;
  matches: number;
}

/**
 * The numbers of rows that match the saved views with a tab. They are counted again and again in chunks, so that no
 * frame waits until all rows are evaluated.
 */
export class SavedViewCounts {
  readonly #counts = new Map<string, number>();
  #pending: readonly string[] = [];
  #count: SavedCount | undefined;
  #endedAtMs = -Infinity;

  /** Returns the number of matching rows of a saved view; `undefined` until they have been counted. */
  of(name: string): number | undefined {
    return this.#counts.get(name);
  }

  /** Counts the next chunk of rows. */
  work(store: ScreenView & LiveData): void {
    if (this.#count === undefined && this.#pending.length === 0) {
      if (store.nowMs - this.#endedAtMs < PAUSE_MS || !store.feed.hasBeenLive) return;
      this.#pending = quickViews(store.state.savedViews).map(({ name }) => name);
    }
    for (let left = ROWS_PER_FRAME; left > 0 && (this.#count ??= this.#next(store)) !== undefined; left -= 1) {
      const { done, value } = this.#count.rows.next();
      if (done !== true) this.#count.matches += value ? 1 : 0;
      else this.#end(this.#count);
    }
    if (this.#count === undefined) this.#endedAtMs = store.nowMs;
  }

  #end({ name, matches }: SavedCount): void {
    this.#counts.set(name, matches);
    this.#count = undefined;
  }

  #next(store: ScreenView & LiveData): SavedCount | undefined {
    const [name, ...others] = this.#pending;
    if (name === undefined) return undefined;
    this.#pending = others;
    return { name, rows: matchesOf(store, name), matches: 0 };
  }
}

/** Returns for each row of a saved view whether it matches. */
function* matchesOf(store: ScreenView & LiveData, name: string): Generator<boolean> {
  const saved = store.state.savedViews.get(name);
  const table = saved && COUNTED_VIEWS.has(saved.view) ? tableOf(saved.view) : undefined;
  const search = table && readSearch(table.search, saved?.filter ?? '');
  if (table === undefined || search?.kind !== 'search') return;
  const nowSeconds = store.nowMs / 1000;
  if (table.source === undefined) {
    for (const { searchRow, words } of searchableEvents(store, search)) {
      yield isSearchMatch(search, searchRow, nowSeconds, words);
    }
    return;
  }
  for (const key of table.source.keys(store)) {
    const row = table.source.row(store, key);
    if (row !== undefined) yield isSearchMatch(search, row, nowSeconds);
  }
}

/** Returns the data of events that a search evaluates. The text for words is only built if the search has words. */
function* searchableEvents(
  { events }: LiveData,
  { usesWords }: ParsedSearch<unknown>,
): Generator<{ readonly searchRow: unknown; readonly words: string | undefined }> {
  for (const record of events.records()) {
    yield { searchRow: record.searchRow, words: usesWords ? record.words : undefined };
  }
}
