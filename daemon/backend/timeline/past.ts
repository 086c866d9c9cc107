import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  checkCountDelta,
  nextPastEvent,
  nextPastSilence,
  type PastEvent,
} from '../../../shared/domain/timeline/past.ts';
import { entryAt, isOver } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import { BusyError, MonError } from '../../../shared/errors.ts';
import type { Store } from '../ports.ts';
import {
  beginningOf,
  checkpointsIn,
  clientsAt,
  isComplete,
  silencesAt,
  type ClientPart,
  type CompleteCheckpoint,
} from './checkpoint.ts';
import type { Timeline } from '../model/timeline/state.ts';
import { idAt, lastIdOf, reverseId, timelineOf, timeOf } from '../model/timeline/storage.ts';

type ReadStore = Pick<Store, 'scan'>;

/** Maximum number of transitions between a checkpoint and a moment: far more than there are unless checkpoints fail. */
const TRANSITIONS_MAX = 1_000_000;

/** Number of transitions that are read before other work can run: a few milliseconds. */
const YIELD_EVERY = 1000;

/** A client at a past moment. */
export interface PastClientState {
  readonly name: string;
  readonly events: ReadonlyMap<string, PastEvent>;
}

/** A namespace at a past moment. Its clients can be iterated once. */
export interface PastNamespace {
  /** Silences that had not ended or expired. */
  readonly silences: readonly SilencedEntry[];
  /** Clients with a known state, unordered. */
  readonly clients: AsyncIterable<readonly PastClientState[]>;
}

/** The checkpoint from which a moment is rebuilt. */
export interface PastBase {
  readonly checkpoint: CompleteCheckpoint;
  /** The oldest moment that can be rebuilt, epoch milliseconds. */
  readonly retainedSinceMs: number;
}

/** @throws MonError `not_found` if the moment is too long ago, or no checkpoint was written yet */
export async function baseOf(store: ReadStore, timeline: Timeline, atMs: number): Promise<PastBase> {
  const beginning = beginningOf(timeline);
  const complete = [
    ...(await checkpointsIn(store)).filter(isComplete),
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
  // A millisecond may contain several ids, so the complete state is known from the next one on.
  const retainedSinceMs = timeOf(oldest.id) + 1;
  if (checkpoint !== undefined) return { checkpoint, retainedSinceMs: Math.min(retainedSinceMs, atMs) };
  const since = new Date(retainedSinceMs).toISOString();
  throw new MonError('not_found', `there is no history for that time: request ${since} or later`);
}

/** @throws MonError `unavailable` if it would take too much memory, because no checkpoint was written for long */
export async function readNamespace(
  store: ReadStore,
  { checkpoint }: PastBase,
  namespace: string,
  atMs: number,
): Promise<PastNamespace> {
  const transitions = await transitionsSince(store, checkpoint, namespace, atMs);
  const silences = await silencesAt(store, checkpoint, namespace);
  nextSilences(silences, transitions.ofSilences);
  return {
    silences: [...silences.values()].flatMap((entry) => (isOver(entry, atMs) ? [] : entryAt(entry, atMs))),
    clients: clientsOf(store, checkpoint, namespace, transitions.ofClients),
  };
}

/** A transition with its id. */
export interface IdentifiedTransition {
  readonly id: number;
  readonly transition: Transition;
}

/**
 * Applies transitions to silenced entries.
 *
 * @param entries by id; they are modified
 * @param transitions the newest first
 * @returns the entries
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

/** The transitions since a checkpoint, the newest first. */
interface TransitionLists {
  readonly ofClients: Map<string, IdentifiedTransition[]>;
  readonly ofSilences: readonly IdentifiedTransition[];
}

async function transitionsSince(
  store: ReadStore,
  { from }: CompleteCheckpoint,
  namespace: string,
  atMs: number,
): Promise<TransitionLists> {
  const ofClients = new Map<string, IdentifiedTransition[]>();
  const ofSilences: IdentifiedTransition[] = [];
  let read = 0;
  const after = [...timelineOf(namespace), reverseId(lastIdOf(atMs) + 1)];
  for await (const [key, text] of store.scan(timelineOf(namespace), { after })) {
    const id = idAt(Number(key.at(-1)));
    if (id < from) break;
    if (++read > TRANSITIONS_MAX) {
      throw new BusyError('too many transitions since the previous checkpoint: see the log of the leader');
    }
    if (read % YIELD_EVERY === 0) await yieldToEventLoop();
    const transition = JSON.parse(text) as Transition;
    const { client } = transition;
    const own = client === undefined ? ofSilences : ofClients.get(client);
    if (own !== undefined) own.push({ id, transition });
    else if (client !== undefined) ofClients.set(client, [{ id, transition }]);
  }
  return { ofClients, ofSilences };
}

/** @param transitionsByClient the transitions of each client, which are removed from the map as they are used */
async function* clientsOf(
  store: ReadStore,
  checkpoint: CompleteCheckpoint,
  namespace: string,
  transitionsByClient: Map<string, IdentifiedTransition[]>,
): AsyncGenerator<readonly PastClientState[], void> {
  for await (const { id, clients } of clientsAt(store, checkpoint, namespace)) {
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
  // The remaining clients were created since the checkpoint.
  const none = new Map<string, PastEvent>();
  yield [...transitionsByClient].flatMap(([name, own]) =>
    nextClient({ name, checkCount: 0, events: none }, -Infinity, own),
  );
}

/**
 * Applies its transitions to a client.
 *
 * @param id of the part that contains it
 * @param transitions the newest first
 * @returns an empty array if nothing is known of the client afterwards
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
    // The part contains earlier transitions already.
    if (entry === undefined || transition?.check === undefined || entry.id <= id) continue;
    const event = nextPastEvent(events.get(transition.check), transition, timeOf(entry.id));
    if (event === undefined) events.delete(transition.check);
    else events.set(transition.check, event);
    // Not negative, because it may have been deleted before its part was written.
    checkCount = Math.max(0, checkCount + checkCountDelta(transition));
  }
  return checkCount === 0 && events.size === 0 ? [] : [{ name, events }];
}

/**
 * Returns the times of the nearest changes to a moment.
 *
 * @returns epoch milliseconds; undefined: there is none
 */
export async function changesAround(
  store: ReadStore,
  namespaces: readonly string[],
  atMs: number,
): Promise<{ readonly previous: number | undefined; readonly next: number | undefined }> {
  let previous: number | undefined;
  let next: number | undefined;
  for (const namespace of namespaces) {
    const before = await newestBefore(store, namespace, lastIdOf(atMs - 1) + 1);
    if (before !== undefined) previous = Math.max(previous ?? 0, timeOf(before));
    const behind = await oldestAfter(store, namespace, lastIdOf(atMs));
    if (behind !== undefined) next = Math.min(next ?? Infinity, timeOf(behind));
  }
  return { previous, next };
}

/** Returns the newest id below another. */
async function newestBefore(store: ReadStore, namespace: string, id: number): Promise<number | undefined> {
  const after = [...timelineOf(namespace), reverseId(id)];
  for await (const [key] of store.scan(timelineOf(namespace), { after, limit: 1 })) return idAt(Number(key.at(-1)));
  return undefined;
}

/** Returns the oldest id above another. The store is read from the newest id on, so this is a binary search. */
async function oldestAfter(store: ReadStore, namespace: string, id: number): Promise<number | undefined> {
  let candidate = await newestBefore(store, namespace, Number.MAX_SAFE_INTEGER);
  if (candidate === undefined || candidate <= id) return undefined;
  // The first steps are short, because the next transition usually follows soon.
  for (let below = id, step = 1_000_000; below + 1 < candidate; step *= 2) {
    const limit: number = Math.min(below + step, Math.ceil((below + candidate) / 2)) + 1;
    const one = await newestBefore(store, namespace, limit);
    if (one === undefined || one <= id) below = limit - 1;
    else candidate = one;
  }
  return candidate;
}
