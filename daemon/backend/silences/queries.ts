import { expireAtOf, isExpired } from '../../../shared/domain/expiry.ts';
import { toCurrentWindow, silencedView } from '../../../shared/domain/silencing.ts';
import type { StoredSilenceCounters, SilencedDetail, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { ZERO_COUNTERS, type SilencedRegistry } from '../model/silences/state.ts';
import { v2SilencedName } from '../../../shared/domain/v2/silenced.ts';

/**
 * Returns a silence in the format of the mon API. It has counters of the handler runs that it suppressed, and its end
 * is an absolute time.
 */
export function silencedDetail(
  registry: Pick<SilencedRegistry, 'use'>,
  entry: SilencedEntry,
  nowMs: number,
): SilencedDetail {
  const kept: StoredSilenceCounters = registry.use(entry.id) ?? ZERO_COUNTERS;
  const { unmatched_since: _ofTheClock, ...use } = kept;
  return {
    ...silencedView(entry, nowMs),
    expire_at: expireAtOf(entry),
    ...(entry.selector !== undefined && { selector: entry.selector }),
    ...(entry.recurrence !== undefined && { recurrence: entry.recurrence }),
    ...(entry.reminder_sent !== undefined && { reminder_sent: entry.reminder_sent }),
    ...(entry.idle !== undefined && { idle: entry.idle }),
    ...use,
  };
}

/**
 * Returns the silences that have not expired, sorted by id. A recurring silence is returned with its current or next
 * window.
 */
export function unexpiredEntries(entries: Iterable<SilencedEntry>, nowMs: number): SilencedEntry[] {
  const unexpired = Array.from(entries, (entry) => toCurrentWindow(entry, nowMs)).filter(
    (entry) => !isExpired(entry, nowMs),
  );
  return unexpired.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** A silence and its name in the v2 API. */
export interface NamedSilenced {
  readonly name: string;
  readonly entry: SilencedEntry;
}

const sortedListCache = new WeakMap<
  SilencedRegistry,
  { readonly changes: number; readonly entries: readonly NamedSilenced[] }
>();

/**
 * Returns all silences, including expired ones, sorted by their names in the v2 API. The sorted list is cached until a
 * silence changes, because clients request its pages one after another.
 */
export function sortedSilenced(registry: SilencedRegistry): readonly NamedSilenced[] {
  const cachedList = sortedListCache.get(registry);
  if (cachedList?.changes === registry.changes) return cachedList.entries;
  const entries = Array.from(registry.all(), (entry) => ({ name: v2SilencedName(entry), entry }));
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  sortedListCache.set(registry, { changes: registry.changes, entries });
  return entries;
}
