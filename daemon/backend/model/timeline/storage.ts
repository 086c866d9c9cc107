import type { Key } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import type { TimelineHead } from './state.ts';

/*
 * The keys of the timeline in the store, all with the newest entry first (spec, timeline 2). They are those of the
 * transitions of a namespace, of its indexes by client and check and by silence, and of checkpoints. Their values are
 * not in memory.
 */

/** The maximum id; keys contain its difference to an id, so that the newest id sorts first. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Converts an id to the part of a key that sorts the newest id first, and back. */
export const reverseId = (id: number): number => MAX_ID - id;
export const idFromReversed = (reversedId: number): number => MAX_ID - reversedId;

/** Returns the highest possible id of a millisecond. */
export const lastIdOf = (ms: number): number => ms * 1000 + 999;
/** Returns the time of an id in epoch milliseconds. */
export const timeOf = (id: number): number => Math.floor(id / 1000);

/** Prefix of the keys of transitions; each value is a transition as JSON. */
export const TIMELINE_PREFIX = 'timeline';
export const timelineOf = (namespace: string): Key => [TIMELINE_PREFIX, namespace];

/** Prefix of the index by client and check; each value is the statuses before and after the transition. */
export const CHECK_INDEX_PREFIX = 'timeline-check';
export const indexOfCheck = (namespace: string, client: string, check: string): Key => [
  CHECK_INDEX_PREFIX,
  namespace,
  client,
  check,
];

/**
 * Prefix of the index by silence. Each value is the begin and end of the silence as JSON, or empty if the silence
 * ended.
 */
export const SILENCE_INDEX_PREFIX = 'timeline-silence';
/**
 * Returns the key prefix of a silence. The empty string, which is never a name, stands for a missing subscription or
 * check.
 */
export const indexOfSilence = (namespace: string, subscription: string | null, check: string | null): Key => [
  SILENCE_INDEX_PREFIX,
  namespace,
  subscription ?? '',
  check ?? '',
];

/**
 * Prefix of the keys of checkpoint headers, the newest first. The header is stored when writing the checkpoint starts.
 */
export const CHECKPOINT_PREFIX = 'timeline-checkpoint';
export const checkpointKey = (reversedId: number): Key => [CHECKPOINT_PREFIX, reversedId];

/**
 * Prefix of the keys of checkpoint parts, in the format of `checkpoint.ts`. The parts with silences come first, then
 * the parts with clients.
 */
const PART_PREFIX = 'timeline-state';
export const checkpointPartsKey = (reversedId: number): Key => [PART_PREFIX, reversedId];
export const silencePartsOf = (reversedId: number, namespace: string): Key => [PART_PREFIX, reversedId, namespace, 0];
export const clientPartsOf = (reversedId: number, namespace: string): Key => [PART_PREFIX, reversedId, namespace, 1];

/** Prefix of a selector that takes the place of a check in a key; no name of a check begins with it. */
const SELECTOR_SIGN = '?';

export const indexOfSelector = (namespace: string, selector: string): Key =>
  indexOfSilence(namespace, null, SELECTOR_SIGN + selector);

/** Returns the selector that takes the place of a check in a key; undefined if it is the name of a check. */
export const selectorInKeyPart = (part: string): string | undefined =>
  part.startsWith(SELECTOR_SIGN) ? part.slice(SELECTOR_SIGN.length) : undefined;

const HEAD_PREFIX = 'timeline-head';
const HEAD_KEY: Key = [HEAD_PREFIX];

/** The stored table with one object: the head record of the timeline. */
export const TIMELINE_HEAD: StoredTable & LatestTable<Registry, 'head'> = {
  prefix: HEAD_PREFIX,
  key: () => HEAD_KEY,
  encodeLatest: ({ timeline: { head } }) => (head === undefined ? undefined : JSON.stringify(head)),
  replaceAll({ timeline }, [stored]) {
    timeline.head = stored === undefined ? undefined : (JSON.parse(stored[1]) as TimelineHead);
  },
};
