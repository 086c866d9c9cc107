import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  checkCountDelta,
  nextPastEvent,
  nextPastSilence,
  type PastEvent,
} from '../../../shared/domain/timeline/past.ts';
import { toCurrentWindow, isExpiredForGood } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Store } from '../ports.ts';
import {
  initialCheckpointOf,
  readCheckpoints,
  readCheckpointClients,
  isComplete,
  readCheckpointSilences,
  type ClientPart,
  type CompleteCheckpoint,
} from './checkpoint.ts';
import type { Timeline } from '../model/timeline/state.ts';
import { idFromReversed, lastIdOf, reverseId, timelineOf, timeOf } from '../model/timeline/storage.ts';

type ReadStore = Pick<Store, 'scan'>;

/**
 * Maximum number of transitions between a checkpoint and the requested time. There are far fewer, unless writing
 * checkpoints fails.
 */
const TRANSITIONS_MAX = 1_000_000;

/** Number of transitions that are read before other work can run: a few milliseconds of work. */
const YIELD_INTERVAL = 1000;

/** The events of a client at a past time, by check. */
export interface PastClientState {
  readonly name: string;
  readonly events: ReadonlyMap<string, PastEvent>;
}

/** The state of a namespace at a past time. `clients` can be iterated only once. */
export interface PastNamespace {
  /** Silences that existed and had not expired at that time. */
  readonly silences: readonly SilencedEntry[];
  /** Clients with a check that has a state, in no order. */
  readonly clients: AsyncIterable<readonly PastClientState[]>;
}

/** The checkpoint that the state at a past time is rebuilt from. */
export interface PastBase {
  readonly checkpoint: CompleteCheckpoint;
  /** The oldest time whose state can be rebuilt, in epoch milliseconds. */
  readonly retainedSinceMs: number;
}

/**
 * Returns the newest complete checkpoint before a time.
 *
 * @throws MonError `not_found` if the time is before the retained history, or if no checkpoint exists yet
 */
export async function findBase(store: ReadStore, timeline: Timeline, atMs: number): Promise<PastBase> {
  const beginning = initialCheckpointOf(timeline);
  const complete = [
    ...(await readCheckpoints(store)).filter(isComplete),
    ...(beginning === undefined ? [] : [beginning]),
  ];
  const oldest = complete.at(-1);
  if (oldest === undefined) {
    throw new MonError(
      'not_found',
      'there is no history yet: recording starts some seconds after the first state change, unless timeline.days is 0',
    );
  }
  const checkpoint = complete.find(({ id }) => id <= lastIdOf(atMs));
  // One millisecond can contain several ids, so the complete state is known only from the next millisecond on.
  const retainedSinceMs = timeOf(oldest.id) + 1;
  if (checkpoint !== undefined) return { checkpoint, retainedSinceMs: Math.min(retainedSinceMs, atMs) };
  const since = new Date(retainedSinceMs).toISOString();
  throw new MonError('not_found', `there is no history for that time: request ${since} or later`);
}

/**
 * Rebuilds the state of a namespace at a past time.
 *
 * @throws MonError `unavailable` if there are too many transitions since the checkpoint, because no newer checkpoint
 *   was written
 */
export async function readPastNamespace(
  store: ReadStore,
  { checkpoint }: PastBase,
  namespace: string,
  atMs: number,
): Promise<PastNamespace> {
  const transitions = await readTransitionsSince(store, checkpoint, namespace, atMs);
  const silences = await readCheckpointSilences(store, checkpoint, namespace);
  nextSilences(silences, transitions.silenceTransitions);
  return {
    silences: [...silences.values()].flatMap((entry) =>
      isExpiredForGood(entry, atMs) ? [] : toCurrentWindow(entry, atMs),
    ),
    clients: clientsOf(store, checkpoint, namespace, transitions.clientTransitions),
  };
}

/** A transition with its timeline id. */
export interface IdentifiedTransition {
  readonly id: number;
  readonly transition: Transition;
}

/**
 * Applies transitions to silences.
 *
 * @param entries silences by id; this function modifies the map
 * @param transitions newest first
 * @returns the same map
 */
export function nextSilences(
  entries: Map<string, SilencedEntry>,
  transitions: readonly IdentifiedTransition[],
): Map<string, SilencedEntry> {
  for (const { transition, id } of transitions.toReversed()) {
    const { silence = '' } = transition;
    const entry = nextPastSilence(silence, transition, timeOf(id));
    if (entry === undefined) entries.delete(silence);
    else entries.set(silence, entry);
  }
  return entries;
}

/**
 * The transitions since a checkpoint, newest first: those of clients, by the name of the client, and those of silences.
 */
interface TransitionLists {
  readonly clientTransitions: Map<string, IdentifiedTransition[]>;
  readonly silenceTransitions: readonly IdentifiedTransition[];
}

async function readTransitionsSince(
  store: ReadStore,
  { from }: CompleteCheckpoint,
  namespace: string,
  atMs: number,
): Promise<TransitionLists> {
  const clientTransitions = new Map<string, IdentifiedTransition[]>();
  const silenceTransitions: IdentifiedTransition[] = [];
  let read = 0;
  const after = [...timelineOf(namespace), reverseId(lastIdOf(atMs) + 1)];
  for await (const [key, text] of store.scan(timelineOf(namespace), { after })) {
    const id = idFromReversed(Number(key.at(-1)));
    if (id < from) break;
    if (++read > TRANSITIONS_MAX) {
      throw new BusyError('too many transitions since the previous checkpoint: see the log of the leader');
    }
    if (read % YIELD_INTERVAL === 0) await yieldToEventLoop();
    const transition = JSON.parse(text) as Transition;
    const { client } = transition;
    const own = client === undefined ? silenceTransitions : clientTransitions.get(client);
    if (own !== undefined) own.push({ id, transition });
    else if (client !== undefined) clientTransitions.set(client, [{ id, transition }]);
  }
  return { clientTransitions, silenceTransitions };
}

/**
 * Yields the clients of a checkpoint with their later transitions applied. Then yields the clients that were created
 * later.
 *
 * @param transitionsByClient transitions by client name; entries are removed from the map when they are used
 */
async function* clientsOf(
  store: ReadStore,
  checkpoint: CompleteCheckpoint,
  namespace: string,
  transitionsByClient: Map<string, IdentifiedTransition[]>,
): AsyncGenerator<readonly PastClientState[], void> {
  for await (const { id, clients } of readCheckpointClients(store, checkpoint, namespace)) {
    const part: PastClientState[] = [];
    for (const client of clients) {
      const own = transitionsByClient.get(client.name);
      transitionsByClient.delete(client.name);
      if (own === undefined) part.push(client);
      else part.push(...nextClient(client, id, own));
    }
    yield part;
    await yieldToEventLoop();
  }
  // The clients that remain in the map were created after the checkpoint.
  const none = new Map<string, PastEvent>();
  yield [...transitionsByClient].flatMap(([name, own]) =>
    nextClient({ name, checkCount: 0, events: none }, -Infinity, own),
  );
}

/**
 * Applies transitions to a client of a checkpoint.
 *
 * @param id id of the checkpoint part that contains the client; -Infinity if no part contains it
 * @param transitions transitions of the client, newest first
 * @returns array with the client; empty if none of its checks has a state afterwards
 */
export function nextClient(
  { name, checkCount: countBefore, events: before }: ClientPart['clients'][number],
  id: number,
  transitions: readonly IdentifiedTransition[],
): readonly PastClientState[] {
  const events = new Map(before);
  let checkCount = countBefore;
  for (let at = transitions.length - 1; at >= 0; at--) {
    const entry = transitions[at];
    const { transition } = entry ?? {};
    // Skips transitions up to the id of the part, because the part contains them already.
    if (entry === undefined || transition?.check === undefined || entry.id <= id) continue;
    const event = nextPastEvent(events.get(transition.check), transition, timeOf(entry.id));
    if (event === undefined) events.delete(transition.check);
    else events.set(transition.check, event);
    // The count must not become negative. If the client was deleted before its part was written, its checks were never
    // counted.
    checkCount = Math.max(0, checkCount + checkCountDelta(transition));
  }
  return checkCount === 0 && events.size === 0 ? [] : [{ name, events }];
}

/**
 * Returns the time of the last change before a given time, and of the first change after it.
 *
 * @returns epoch milliseconds; each is undefined if there is no such change
 */
export async function findNearestChanges(
  store: ReadStore,
  namespaces: readonly string[],
  atMs: number,
): Promise<{ readonly previous: number | undefined; readonly next: number | undefined }> {
  let previous: number | undefined;
  let next: number | undefined;
  for (const namespace of namespaces) {
    const before = await findNewestBefore(store, namespace, lastIdOf(atMs - 1) + 1);
    if (before !== undefined) previous = Math.max(previous ?? 0, timeOf(before));
    const behind = await findOldestAfter(store, namespace, lastIdOf(atMs));
    if (behind !== undefined) next = Math.min(next ?? Infinity, timeOf(behind));
  }
  return { previous, next };
}

/** Returns the id of the newest transition with a lower id than the given one; undefined if there is none. */
async function findNewestBefore(store: ReadStore, namespace: string, id: number): Promise<number | undefined> {
  const after = [...timelineOf(namespace), reverseId(id)];
  for await (const [key] of store.scan(timelineOf(namespace), { after, limit: 1 }))
    return idFromReversed(Number(key.at(-1)));
  return undefined;
}

/**
 * Returns the id of the oldest transition with a higher id than the given one; undefined if there is none. The store
 * can be scanned only from newest to oldest, so this is a binary search.
 */
async function findOldestAfter(store: ReadStore, namespace: string, id: number): Promise<number | undefined> {
  let candidate = await findNewestBefore(store, namespace, Number.MAX_SAFE_INTEGER);
  if (candidate === undefined || candidate <= id) return undefined;
  // Starts with short steps, because the next transition usually follows soon.
  for (let below = id, step = 1_000_000; below + 1 < candidate; step *= 2) {
    const limit: number = Math.min(below + step, Math.ceil((below + candidate) / 2)) + 1;
    const one = await findNewestBefore(store, namespace, limit);
    if (one === undefined || one <= id) below = limit - 1;
    else candidate = one;
  }
  return candidate;
}
