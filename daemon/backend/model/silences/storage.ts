import type { StoredSilenceCounters, SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { silencedId, silencedRow } from '../../../../shared/domain/silencing.ts';
import type { Key } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { LatestTable, Table } from '../registry/table.ts';
import { loadSelectorAttributes } from './selector-attributes.ts';
import { SILENCED_TOPIC } from './feed-rows.ts';
import { toCurrentReminder, toStoredReminder, type WithStoredReminder } from './stored-reminder.ts';
import { eachOf } from '../tables/dump-table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { v2SilencedOf } from '../../../../shared/domain/v2/silenced.ts';
import { type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

/**
 * The stored form of a silence, unchanged since the first version. Its end is `expire_at`, in epoch milliseconds. Only
 * this file depends on this form.
 */
interface StoredSilence extends WithStoredReminder<Omit<SilencedEntry, 'expireAtMs'>> {
  readonly expire_at: number | null;
}

/** Converts a silence to its stored form, as an object for `JSON.stringify`. */
export function storedSilenced(entry: SilencedEntry): object {
  const {
    id,
    subscription,
    check,
    reason,
    creator,
    begin,
    expireAtMs: expire_at,
    ...attributes
  } = toStoredReminder(entry);
  return { id, subscription, check, reason, creator, begin, expire_at, ...attributes } satisfies StoredSilence;
}

/**
 * Converts the stored form of a silence to the form in memory.
 *
 * @param value result of `storedSilenced` after a round trip through JSON
 */
export function silencedOfStored(value: unknown): SilencedEntry {
  const stored = toCurrentReminder(value as StoredSilence);
  const { id, subscription, check, reason, creator, begin, expire_at: expireAtMs, ...attributes } = stored;
  return { id, subscription, check, reason, creator, begin, expireAtMs, ...attributes };
}

/**
 * Returns the store key of a silence by its subscription and check. If one is missing, the empty string, which is never
 * a name, takes its place. If the silence has a selector, both are empty and the id of the silence follows.
 */
const silenceKey = (prefix: string, namespace: string, { id, subscription, check, selector }: SilencedEntry): Key => [
  prefix,
  namespace,
  subscription ?? '',
  check ?? '',
  ...(selector === undefined ? [] : [id]),
];

/** The stored table of silences. */
export const SILENCE_RECORDS: StoredTable & Table<Namespace, SilencedEntry, SilencedEntry> = {
  prefix: 'silenced',
  key: ({ name }, entry) => silenceKey('silenced', name, entry),
  encode: (entry) => JSON.stringify(storedSilenced(entry)),
  putInMemory: ({ silenced }, _entry, entry) => silenced.put(entry),
  removeFromMemory: ({ silenced }, entry) => silenced.remove(entry),
  load: ({ silenced }, _key, text) => silenced.put(silencedOfStored(JSON.parse(text))),
  unload({ silenced }, key) {
    const entry = silenced.get(silenceIdOfKey(key));
    if (entry !== undefined) silenced.remove(entry);
  },
  async prepare(registry, key, text, store) {
    const { selector } = silencedOfStored(JSON.parse(text));
    if (selector !== undefined) await loadSelectorAttributes(registry, store, String(key[1]), [selector]);
  },
  shiftTimes(text, byMs) {
    const entry = silencedOfStored(JSON.parse(text));
    const { begin, expireAtMs, timestamp } = entry;
    const marked = { ...entry, ...idleMoved(entry, byMs) };
    // The windows of a recurring silence are wall-clock times, so a clock correction does not shift them. The end is
    // set to 0, so that the window is computed again. The begin is kept, to find out whether the window is still the
    // same.
    if (entry.recurrence !== undefined) return JSON.stringify(storedSilenced({ ...marked, expireAtMs: 0 }));
    if (begin === null && expireAtMs === null && entry.idle === undefined) return undefined;
    return JSON.stringify(
      storedSilenced({
        ...marked,
        // The time of creation is shifted too, because the duration from creation to end decides whether a reminder is
        // sent.
        timestamp: timestamp + secondsOf(byMs),
        begin: shiftTime(begin, byMs / 1000),
        expireAtMs: shiftTime(expireAtMs, byMs),
      }),
    );
  },
  extendDurations(text, forMs) {
    const entry = silencedOfStored(JSON.parse(text));
    if (entry.idle === undefined) return undefined;
    return JSON.stringify(storedSilenced({ ...entry, ...idleMoved(entry, forMs) }));
  },
  topic: SILENCED_TOPIC,
  dumps: [
    {
      type: 'Silenced',
      isNamespaced: true,
      dumped: eachOf((value, [namespace = ''], registry) => {
        const entry = silencedOfStored(value);
        return dumpedSilenced(namespace, entry, registry.namespace(namespace).silenced.use(entry.id));
      }),
    },
  ],
};

/**
 * The stored table of the counters of silences, such as how many handler runs a silence suppressed. It is loaded after
 * the silences. The counters are deleted together with their silence.
 */
export const SILENCED_USES: StoredTable & LatestTable<Namespace, SilencedEntry> = {
  prefix: 'silenced-use',
  key: ({ name }, entry) => silenceKey('silenced-use', name, entry),
  encodeLatest({ silenced }, { id }) {
    const use = silenced.use(id);
    // There are no counters if the silence ended or was replaced later in the same batch.
    return use === undefined ? undefined : JSON.stringify(use);
  },
  load: ({ silenced }, key, text) => silenced.loadUse(silenceIdOfKey(key), JSON.parse(text) as StoredSilenceCounters),
  unload: ({ silenced }, key) => silenced.forgetUse(silenceIdOfKey(key)),
  shiftTimes: unmatchedMoved,
  // Whether silences matched while no backend ran is unknown, so that time is not counted as time without a match.
  extendDurations: unmatchedMoved,
};

/**
 * Shifts the start of the time without a match, so that its duration stays the same; undefined if it is not measured.
 */
function unmatchedMoved(text: string, byMs: number): string | undefined {
  const use = JSON.parse(text) as StoredSilenceCounters;
  const { unmatched_since: since } = use;
  return since === undefined ? undefined : JSON.stringify({ ...use, unmatched_since: since + secondsOf(byMs) });
}

/**
 * Returns the idle mark of a silence (no match for long) with its times shifted; an empty object if there is no mark.
 */
function idleMoved({ idle }: SilencedEntry, byMs: number): Pick<SilencedEntry, 'idle'> {
  if (idle === undefined) return {};
  const { since, at, ends_at: end } = idle;
  const seconds = secondsOf(byMs);
  const mark = { since: since + seconds, at: at + seconds };
  return { idle: end === undefined ? mark : { ...mark, ends_at: end + seconds } };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Returns a time shifted by `by`, which has the same unit; null if `time` is null. */
function shiftTime(time: number | null, by: number): number | null {
  return time === null ? null : time + by;
}

/** Returns the id of a silence, given its store key or the store key of its counters. */
function silenceIdOfKey([, , subscription, check, id]: Key): string {
  if (id !== undefined) return String(id);
  return silencedId(presentPart(subscription), presentPart(check));
}

/** Returns the subscription or check in a store key; undefined if it is the empty string, that is, missing. */
function presentPart(part: string | number | undefined): string | undefined {
  return part === '' ? undefined : String(part);
}

export function dumpedSilenced(
  namespace: string,
  entry: SilencedEntry,
  use: StoredSilenceCounters | undefined,
): WrappedObject {
  const { metadata, ...spec } = v2SilencedOf(namespace, entry);
  return wrappedOf('Silenced', metadata, { ...spec, mon: { entry: toStoredReminder(silencedRow(entry)), use } });
}
