import type { Key } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import type { TimelineHead } from './state.ts';

/*
 * Families of keys, all with the newest first (spec, timeline 2): the transitions of a namespace, for each client and check, and
 * for each silenced entry, which of those are about it, and checkpoints. None of them is in memory.
 */

/** What an id is counted down from. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** The part of a key that sorts the newest first; and back. */
export const placeOf = (id: number): number => LAST_ID - id;
export const idAt = (place: number): number => LAST_ID - place;

/** The newest id of a millisecond, and of all before it. */
export const lastIdOf = (ms: number): number => ms * 1000 + 999;
/** Epoch milliseconds. */
export const timeOf = (id: number): number => Math.floor(id / 1000);

/** Each with its transition as JSON. */
export const TIMELINE_PREFIX = 'timeline';
export const timelineOf = (namespace: string): Key => [TIMELINE_PREFIX, namespace];

/** Each with the statuses before and after it. */
export const CHECK_INDEX_PREFIX = 'timeline-check';
export const indexOfCheck = (namespace: string, client: string, check: string): Key => [
  CHECK_INDEX_PREFIX,
  namespace,
  client,
  check,
];

/** Each with from when to when the entry is in effect, or with nothing where it ended. */
export const SILENCE_INDEX_PREFIX = 'timeline-silence';
/** An absent part is the empty string, which no name is. */
export const indexOfSilence = (namespace: string, subscription: string | null, check: string | null): Key => [
  SILENCE_INDEX_PREFIX,
  namespace,
  subscription ?? '',
  check ?? '',
];

/** Each with what is known of a checkpoint as a whole, the newest first; there from its beginning on. */
export const CHECKPOINT_PREFIX = 'timeline-checkpoint';
export const checkpointAt = (place: number): Key => [CHECKPOINT_PREFIX, place];

/** Each with a part of a checkpoint, as `checkpoint.ts` writes it: of its silences, then of its clients. */
const PART_PREFIX = 'timeline-state';
export const partsAt = (place: number): Key => [PART_PREFIX, place];
export const silencePartsOf = (place: number, namespace: string): Key => [PART_PREFIX, place, namespace, 0];
export const clientPartsOf = (place: number, namespace: string): Key => [PART_PREFIX, place, namespace, 1];

/** Before a selector in the place of a check: no name of one begins so. */
const SELECTOR_SIGN = '?';

export const indexOfSelector = (namespace: string, selector: string): Key =>
  indexOfSilence(namespace, null, SELECTOR_SIGN + selector);

/** The selector in the place of a check; undefined: it is a check. */
export const selectorIn = (part: string): string | undefined =>
  part.startsWith(SELECTOR_SIGN) ? part.slice(SELECTOR_SIGN.length) : undefined;

const HEAD_PREFIX = 'timeline-head';
const HEAD_KEY: Key = [HEAD_PREFIX];

/** Where the timeline begins and ends. */
export const TIMELINE_HEAD: StoredTable & LatestTable<Registry, 'head'> = {
  prefix: HEAD_PREFIX,
  key: () => HEAD_KEY,
  encodeHeld: ({ timeline: { head } }) => (head === undefined ? undefined : JSON.stringify(head)),
  adopt({ timeline }, [stored]) {
    timeline.head = stored === undefined ? undefined : (JSON.parse(stored[1]) as TimelineHead);
  },
};
