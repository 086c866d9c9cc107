import type { Key } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import type { TimelineHead } from './state.ts';

/*
 * Key families of the timeline, all with the newest entry first (spec, timeline 2): the transitions of a namespace,
 * indexes by client and check and by silenced entry, and checkpoints. None of them is in memory.
 */

/** The maximum id, from which ids are subtracted in keys. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** The part of a key that sorts the newest id first; and its inverse. */
export const reverseId = (id: number): number => LAST_ID - id;
export const idAt = (reversedId: number): number => LAST_ID - reversedId;

/** The newest id of a millisecond. */
export const lastIdOf = (ms: number): number => ms * 1000 + 999;
/** Epoch milliseconds. */
export const timeOf = (id: number): number => Math.floor(id / 1000);

/** Each key has a transition as JSON. */
export const TIMELINE_PREFIX = 'timeline';
export const timelineOf = (namespace: string): Key => [TIMELINE_PREFIX, namespace];

/** Each key has the statuses before and after the transition. */
export const CHECK_INDEX_PREFIX = 'timeline-check';
export const indexOfCheck = (namespace: string, client: string, check: string): Key => [
  CHECK_INDEX_PREFIX,
  namespace,
  client,
  check,
];

/** Each key has the begin and end of the entry's activity, or is empty where the entry ended. */
export const SILENCE_INDEX_PREFIX = 'timeline-silence';
/** An absent part is the empty string, which no name is. */
export const indexOfSilence = (namespace: string, subscription: string | null, check: string | null): Key => [
  SILENCE_INDEX_PREFIX,
  namespace,
  subscription ?? '',
  check ?? '',
];

/** Each key has the header of a checkpoint, the newest first; it exists from the start of writing. */
export const CHECKPOINT_PREFIX = 'timeline-checkpoint';
export const checkpointAt = (reversedId: number): Key => [CHECKPOINT_PREFIX, reversedId];

/**
 * Each key has a part of a checkpoint, in the format of `checkpoint.ts`: first those of its silences, then of its
 * clients.
 */
const PART_PREFIX = 'timeline-state';
export const partsAt = (reversedId: number): Key => [PART_PREFIX, reversedId];
export const silencePartsOf = (reversedId: number, namespace: string): Key => [PART_PREFIX, reversedId, namespace, 0];
export const clientPartsOf = (reversedId: number, namespace: string): Key => [PART_PREFIX, reversedId, namespace, 1];

/** Prefix of a selector in place of a check: no check name begins with it. */
const SELECTOR_SIGN = '?';

export const indexOfSelector = (namespace: string, selector: string): Key =>
  indexOfSilence(namespace, null, SELECTOR_SIGN + selector);

/** Returns the selector in place of a check; undefined: it is a check. */
export const selectorIn = (part: string): string | undefined =>
  part.startsWith(SELECTOR_SIGN) ? part.slice(SELECTOR_SIGN.length) : undefined;

const HEAD_PREFIX = 'timeline-head';
const HEAD_KEY: Key = [HEAD_PREFIX];

/** The stored head: the begin and end of the timeline. */
export const TIMELINE_HEAD: StoredTable & LatestTable<Registry, 'head'> = {
  prefix: HEAD_PREFIX,
  key: () => HEAD_KEY,
  encodeLatest: ({ timeline: { head } }) => (head === undefined ? undefined : JSON.stringify(head)),
  adopt({ timeline }, [stored]) {
    timeline.head = stored === undefined ? undefined : (JSON.parse(stored[1]) as TimelineHead);
  },
};
