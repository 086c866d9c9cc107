import type { KeptUse, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { silencedId, silencedRow } from '../../../shared/domain/silencing.ts';
import type { Key } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { LatestTable, Table } from '../registry/table.ts';
import { learnSelectors } from './learn.ts';
import { SILENCED_TOPIC } from './rows.ts';
import { withCurrentReminder, withStoredReminder, type WithStoredReminder } from './stored-reminder.ts';
import { eachOf } from '../tables/dump-table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { v2SilencedOf } from '../../../shared/domain/v2/silenced.ts';
import { type Wrapped, wrappedOf } from '../../../shared/domain/v2/wrapped.ts';

/** A silence as it is stored: its end is `expire_at` in milliseconds, and `reminded` is `reminder_sent`. */
interface Stored extends WithStoredReminder<Omit<SilencedEntry, 'expireAtMs'>> {
  readonly expire_at: number | null;
}

/** What is stored of an entry, as JSON. */
export function storedSilenced(entry: SilencedEntry): object {
  const { id, subscription, check, reason, creator, begin, expireAtMs: expire_at, ...rest } = withStoredReminder(entry);
  return { id, subscription, check, reason, creator, begin, expire_at, ...rest } satisfies Stored;
}

/** @param value what `storedSilenced` made, from JSON */
export function silencedOfStored(value: unknown): SilencedEntry {
  const stored = withCurrentReminder(value as Stored);
  const { id, subscription, check, reason, creator, begin, expire_at: expireAtMs, ...rest } = stored;
  return { id, subscription, check, reason, creator, begin, expireAtMs, ...rest };
}

/** By their two parts; an absent part is the empty string, which no name is. One with a selector has its id behind two of these. */
const keyIn = (prefix: string, namespace: string, { id, subscription, check, selector }: SilencedEntry): Key => [
  prefix,
  namespace,
  subscription ?? '',
  check ?? '',
  ...(selector === undefined ? [] : [id]),
];

/** Silenced entries. */
export const SILENCED: StoredTable & Table<Namespace, SilencedEntry, SilencedEntry> = {
  prefix: 'silenced',
  key: ({ name }, entry) => keyIn('silenced', name, entry),
  encode: (entry) => JSON.stringify(storedSilenced(entry)),
  hold: ({ silenced }, _entry, entry) => silenced.put(entry),
  drop: ({ silenced }, entry) => silenced.remove(entry),
  load: ({ silenced }, _key, text) => silenced.put(silencedOfStored(JSON.parse(text))),
  unload({ silenced }, key) {
    const entry = silenced.get(idIn(key));
    if (entry !== undefined) silenced.remove(entry);
  },
  async prepare(registry, key, text, store) {
    const { selector } = silencedOfStored(JSON.parse(text));
    if (selector !== undefined) await learnSelectors(registry, store, String(key[1]), [selector]);
  },
  shifted(text, byMs) {
    const entry = silencedOfStored(JSON.parse(text));
    const { begin, expireAtMs, timestamp } = entry;
    const marked = { ...entry, ...idleMoved(entry, byMs) };
    // Its windows are times of the clock on the wall: which is the next one is found anew. The begin tells whether it is the same.
    if (entry.recurrence !== undefined) return JSON.stringify(storedSilenced({ ...marked, expireAtMs: 0 }));
    if (begin === null && expireAtMs === null && entry.idle === undefined) return undefined;
    return JSON.stringify(
      storedSilenced({
        ...marked,
        // How long it is from when it was made to its end decides whether somebody is reminded.
        timestamp: timestamp + wholeSeconds(byMs),
        begin: moved(begin, byMs / 1000),
        expireAtMs: moved(expireAtMs, byMs),
      }),
    );
  },
  waited(text, forMs) {
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

/** How often silenced entries kept handlers from running: after the entries, with which it goes. */
export const SILENCED_USES: StoredTable & LatestTable<Namespace, SilencedEntry> = {
  prefix: 'silenced-use',
  key: ({ name }, entry) => keyIn('silenced-use', name, entry),
  encodeHeld({ silenced }, { id }) {
    const use = silenced.use(id);
    // It may have ended, or begun anew, later in the batch.
    return use === undefined ? undefined : JSON.stringify(use);
  },
  load: ({ silenced }, key, text) => silenced.loadUse(idIn(key), JSON.parse(text) as KeptUse),
  unload: ({ silenced }, key) => silenced.forgetUse(idIn(key)),
  shifted: unmatchedMoved,
  // Of what came while nobody was there to hear of it nothing is known.
  waited: unmatchedMoved,
};

/** How long it matched nothing is a span of time. */
function unmatchedMoved(text: string, byMs: number): string | undefined {
  const use = JSON.parse(text) as KeptUse;
  const { unmatched_since: since } = use;
  return since === undefined ? undefined : JSON.stringify({ ...use, unmatched_since: since + wholeSeconds(byMs) });
}

/** So is what a mark tells. */
function idleMoved({ idle }: SilencedEntry, byMs: number): Pick<SilencedEntry, 'idle'> {
  if (idle === undefined) return {};
  const { since, at, ends_at: end } = idle;
  const seconds = wholeSeconds(byMs);
  const mark = { since: since + seconds, at: at + seconds };
  return { idle: end === undefined ? mark : { ...mark, ends_at: end + seconds } };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** A time that is not there is not moved. */
function moved(time: number | null, by: number): number | null {
  return time === null ? null : time + by;
}

/** Of an entry, from its key or that of its use. */
function idIn([, , subscription, check, id]: Key): string {
  if (id !== undefined) return String(id);
  return silencedId(presentPart(subscription), presentPart(check));
}

/** A part of a silenced entry in its key: the empty string is none. */
function presentPart(part: string | number | undefined): string | undefined {
  return part === '' ? undefined : String(part);
}

export function dumpedSilenced(namespace: string, entry: SilencedEntry, use: KeptUse | undefined): Wrapped {
  const { metadata, ...spec } = v2SilencedOf(namespace, entry);
  return wrappedOf('Silenced', metadata, { ...spec, mon: { entry: withStoredReminder(silencedRow(entry)), use } });
}
