import { setImmediate as nextTurn } from 'node:timers/promises';
import { knownBy, nextPastEvent, nextPastSilence, type PastEvent } from '../../../shared/domain/timeline/past.ts';
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
import type { Timeline } from './state.ts';
import { idAt, lastIdOf, placeOf, timelineOf, timeOf } from './table.ts';

type ReadStore = Pick<Store, 'scan'>;

/** Maximum number of transitions between a checkpoint and a moment: far more than there are unless checkpoints fail. */
const TURNS_MAX = 1_000_000;

/** Number of transitions that are read before other work can run: a few milliseconds. */
const TURN = 1000;

/** A client at a past moment. */
export interface PastClient {
  readonly name: string;
  readonly events: ReadonlyMap<string, PastEvent>;
}

/** A namespace at a past moment. Its clients can be iterated once. */
export interface PastNamespace {
  /** Silences that had not ended or expired. */
  readonly silences: readonly SilencedEntry[];
  /** Clients with a known state, unordered. */
  readonly clients: AsyncIterable<readonly PastClient[]>;
}

/** The checkpoint from which a moment is rebuilt. */
export interface PastBase {
  readonly checkpoint: CompleteCheckpoint;
  /** The oldest moment that can be rebuilt, epoch milliseconds. */
  readonly knownSinceMs: number;
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
  const knownSinceMs = timeOf(oldest.id) + 1;
  if (checkpoint !== undefined) return { checkpoint, knownSinceMs: Math.min(knownSinceMs, atMs) };
  const since = new Date(knownSinceMs).toISOString();
  throw new MonError('not_found', `there is no history for that time: request ${since} or later`);
}

/** @throws MonError `unavailable` if it would take too much memory, because no checkpoint was written for long */
export async function readNamespace(
  store: ReadStore,
  { checkpoint }: PastBase,
  namespace: string,
  atMs: number,
): Promise<PastNamespace> {
  const turns = await turnsSince(store, checkpoint, namespace, atMs);
  const silences = await silencesAt(store, checkpoint, namespace);
  nextSilences(silences, turns.ofSilences);
  return {
    silences: [...silences.values()].flatMap((entry) => (isOver(entry, atMs) ? [] : entryAt(entry, atMs))),
    clients: clientsOf(store, checkpoint, namespace, turns.ofClients),
  };
}

/** A transition with its id. */
export interface PlacedTurn {
  readonly id: number;
  readonly transition: Transition;
}

/**
 * Applies transitions to silenced entries.
 *
 * @param entries by id; they are modified
 * @param turns the newest first
 * @returns the entries
 */
export function nextSilences(
  entries: Map<string, SilencedEntry>,
  turns: readonly PlacedTurn[],
): Map<string, SilencedEntry> {
  for (const { transition, id } of turns.toReversed()) {
    const { silence = '' } = transition;
    const entry = nextPastSilence(silence, transition, timeOf(id));
    if (entry === undefined) entries.delete(silence);
    else entries.set(silence, entry);
  }
  return entries;
}

/** The transitions since a checkpoint, the newest first. */
interface Turns {
  readonly ofClients: Map<string, PlacedTurn[]>;
  readonly ofSilences: readonly PlacedTurn[];
}

async function turnsSince(
  store: ReadStore,
  { from }: CompleteCheckpoint,
  namespace: string,
  atMs: number,
): Promise<Turns> {
  const ofClients = new Map<string, PlacedTurn[]>();
  const ofSilences: PlacedTurn[] = [];
  let read = 0;
  const after = [...timelineOf(namespace), placeOf(lastIdOf(atMs) + 1)];
  for await (const [key, text] of store.scan(timelineOf(namespace), { after })) {
    const id = idAt(Number(key.at(-1)));
    if (id < from) break;
    if (++read > TURNS_MAX) {
      throw new BusyError('too many transitions since the previous checkpoint: see the log of the leader');
    }
    if (read % TURN === 0) await nextTurn();
    const transition = JSON.parse(text) as Transition;
    const { client } = transition;
    const own = client === undefined ? ofSilences : ofClients.get(client);
    if (own !== undefined) own.push({ id, transition });
    else if (client !== undefined) ofClients.set(client, [{ id, transition }]);
  }
  return { ofClients, ofSilences };
}

/** @param turns the transitions of each client, which are removed from the map as they are used */
async function* clientsOf(
  store: ReadStore,
  checkpoint: CompleteCheckpoint,
  namespace: string,
  turns: Map<string, PlacedTurn[]>,
): AsyncGenerator<readonly PastClient[], void> {
  for await (const { id, clients } of clientsAt(store, checkpoint, namespace)) {
    const part: PastClient[] = [];
    for (const client of clients) {
      const own = turns.get(client.name);
      turns.delete(client.name);
      if (own === undefined) part.push(client);
      else part.push(...nextClient(client, id, own));
    }
    yield part;
    await nextTurn();
  }
  // The remaining clients were created since the checkpoint.
  const none = new Map<string, PastEvent>();
  yield [...turns].flatMap(([name, own]) => nextClient({ name, known: 0, events: none }, -Infinity, own));
}

/**
 * Applies its transitions to a client.
 *
 * @param id of the part that contains it
 * @param turns the newest first
 * @returns an empty array if nothing is known of the client afterwards
 */
export function nextClient(
  { name, known: knownBefore, events: before }: ClientPart['clients'][number],
  id: number,
  turns: readonly PlacedTurn[],
): readonly PastClient[] {
  const events = new Map(before);
  let known = knownBefore;
  for (let at = turns.length - 1; at >= 0; at--) {
    const turn = turns[at];
    const { transition } = turn ?? {};
    // The part contains earlier transitions already.
    if (turn === undefined || transition?.check === undefined || turn.id <= id) continue;
    const event = nextPastEvent(events.get(transition.check), transition, timeOf(turn.id));
    if (event === undefined) events.delete(transition.check);
    else events.set(transition.check, event);
    // Not negative, because it may have been deleted before its part was written.
    known = Math.max(0, known + knownBy(transition));
  }
  return known === 0 && events.size === 0 ? [] : [{ name, events }];
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
  const after = [...timelineOf(namespace), placeOf(id)];
  for await (const [key] of store.scan(timelineOf(namespace), { after, limit: 1 })) return idAt(Number(key.at(-1)));
  return undefined;
}

/** Returns the oldest id above another. The store is read from the newest id on, so this is a binary search. */
async function oldestAfter(store: ReadStore, namespace: string, id: number): Promise<number | undefined> {
  let found = await newestBefore(store, namespace, Number.MAX_SAFE_INTEGER);
  if (found === undefined || found <= id) return undefined;
  // The first steps are short, because the next transition usually follows soon.
  for (let below = id, step = 1_000_000; below + 1 < found; step *= 2) {
    const limit: number = Math.min(below + step, Math.ceil((below + found) / 2)) + 1;
    const one = await newestBefore(store, namespace, limit);
    if (one === undefined || one <= id) below = limit - 1;
    else found = one;
  }
  return found;
}
