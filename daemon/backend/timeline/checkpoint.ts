import type { Acknowledgement } from '../../../shared/schemas/acknowledgement.ts';
import type { PastEvent } from '../../../shared/domain/timeline/past.ts';
import { hasState } from '../../../shared/domain/timeline/state-change.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { shownOutput } from '../model/events/feed-rows.ts';
import type { Store } from '../ports.ts';
import { compareByName } from '../model/registry/by-name.ts';
import { eventsOf, type CheckEntry, type ClientEntry, type Namespace } from '../model/registry/namespace.ts';
import { toCurrentReminder, toStoredReminder, type WithStoredReminder } from '../model/silences/stored-reminder.ts';
import type { Timeline } from '../model/timeline/state.ts';
import { CHECKPOINT_PREFIX, clientPartsOf, reverseId, silencePartsOf } from '../model/timeline/storage.ts';

/*
 * The format of checkpoints. A checkpoint is the stored state of all namespaces at some time, divided into parts that
 * were written one after another. Each part contains the state right after the transition whose id it names. The state
 * at any later time is rebuilt from the parts and the later transitions (spec, timeline 5).
 */

/** Length of the encoded text, in characters, at which a part of a checkpoint is complete. */
const PART_LENGTH_MAX = 64 * 1024;

/**
 * Number of clients and checks after which a part of a checkpoint is complete. Encoding so many takes about a
 * millisecond.
 */
const PART_CHECKS_MAX = 2000;

/** The header of a checkpoint; it is stored separately from the parts of the checkpoint. */
export interface Checkpoint {
  /**
   * Timeline id (a unique time in microseconds) that was assigned when writing began. It identifies the checkpoint, and
   * no part is older.
   */
  readonly from: number;
  /**
   * Timeline id that was assigned when writing ended; the state at this id and later can be rebuilt. Absent if the
   * checkpoint is incomplete or being erased.
   */
  readonly id?: number;
  /** Number of timeline ids assigned so far, including the two ids of this checkpoint. */
  readonly count: number;
  /** Number of clients, events and silences in the checkpoint. */
  readonly rows: number;
  /**
   * Number of clock corrections before the checkpoint. A clock correction shifts the future times of silences without a
   * transition, so a new checkpoint is due after it.
   */
  readonly era: number;
}

/** A complete checkpoint; past states can be rebuilt from it. */
export type CompleteCheckpoint = Checkpoint & { readonly id: number };

/**
 * A client in a checkpoint, with its events. `checkCount` is the number of its checks that have a state, such as a
 * history.
 */
interface PastClientPart {
  readonly name: string;
  readonly checkCount: number;
  readonly events: ReadonlyMap<string, PastEvent>;
}

/** Some clients of a namespace, with their state right after the transition with this id. */
export interface ClientPart {
  readonly id: number;
  readonly clients: readonly PastClientPart[];
}

type StoredEvent = readonly [
  check: string,
  status: number,
  isFlapping: 0 | 1,
  occurrences: number,
  since: number,
  last: number,
  output: string,
  /** Absent in checkpoints of earlier versions, and if the event is not acknowledged. */
  acknowledgement?: Acknowledgement,
];
interface StoredClients {
  readonly id: number;
  readonly clients: readonly (readonly [name: string, checkCount: number, ...events: StoredEvent[]])[];
}

/** An encoded part of a checkpoint with some clients, and the position at which the next part begins. */
export interface EncodedClientPart {
  /** The encoded part; undefined if none of its clients has a check with a state. */
  readonly text: string | undefined;
  readonly rows: number;
  /** Name of the last processed client; undefined if no clients of the namespace remain. */
  readonly after: string | undefined;
}

/**
 * Encodes the next clients of a namespace as a part of a checkpoint.
 *
 * @param id id of the newest transition that the part contains
 * @param after name of the last client in the previous part; undefined for the first part
 */
export function encodeClientPart(namespace: Namespace, id: number, after: string | undefined): EncodedClientPart {
  const all = namespace.sortedClients();
  const texts: string[] = [];
  let length = 0;
  let rows = 0;
  let looked = 0;
  let at = after === undefined ? 0 : firstIndexAfterName(all, after);
  for (; at < all.length && length < PART_LENGTH_MAX && looked < PART_CHECKS_MAX; at++) {
    const client = all[at];
    if (client === undefined || namespace.clients.get(client.name) !== client) continue;
    looked += 1 + client.checks.size;
    const checkCount = countChecksWithState(client);
    if (checkCount === 0) continue;
    const events = client.openEvents === 0 ? [] : Array.from(eventsOf(client), storedEvent);
    const text = JSON.stringify([client.name, checkCount, ...events]);
    texts.push(text);
    length += text.length;
    rows += 1 + events.length;
  }
  return {
    text: texts.length === 0 ? undefined : `{"id":${String(id)},"clients":[${texts.join(',')}]}`,
    rows,
    after: at < all.length ? all[at - 1]?.name : undefined,
  };
}

function firstIndexAfterName(all: readonly ClientEntry[], name: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const client = all[middle];
    if (client !== undefined && compareByName(client, { name }) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countChecksWithState({ checks }: ClientEntry): number {
  let checkCount = 0;
  for (const { state } of checks.values()) if (hasState(state)) checkCount++;
  return checkCount;
}

function storedEvent({ name, client, state: { event }, summary }: CheckEntry): StoredEvent {
  const { status = 0, action, occurrences = 0, lastStateChange, timestamp = 0, acknowledgement } = event ?? {};
  const isFlapping = action === 'flapping' ? 1 : 0;
  const output = shownOutput(client, summary);
  const stored = [name, status, isFlapping, occurrences, lastStateChange ?? timestamp, timestamp, output] as const;
  return acknowledgement === undefined ? stored : [...stored, acknowledgement];
}

function readClients(text: string): ClientPart {
  const { id, clients } = JSON.parse(text) as StoredClients;
  return {
    id,
    clients: clients.map(([name, checkCount, ...events]) => ({
      name,
      checkCount,
      events: new Map(events.map(readEvent)),
    })),
  };
}

function readEvent(stored: StoredEvent): [string, PastEvent] {
  const [check, status, isFlapping, occurrences, since, last, output, acknowledgement] = stored;
  const event = { status, isFlapping: isFlapping === 1, occurrences, since, last, output };
  return [check, acknowledgement === undefined ? event : { ...event, acknowledgement }];
}

/** Encodes all silences of a namespace, as parts of a checkpoint. */
export function encodeSilences({ silenced }: Namespace): { readonly texts: readonly string[]; readonly rows: number } {
  const texts: string[] = [];
  let part: string[] = [];
  let length = 0;
  const end = (): void => {
    if (part.length > 0) texts.push(`[${part.join(',')}]`);
    part = [];
    length = 0;
  };
  for (const entry of silenced.all()) {
    // The idle state of silences is omitted, because no transition records when it ends.
    const text = JSON.stringify(toStoredReminder({ ...entry, idle: undefined }));
    part.push(text);
    length += text.length;
    if (length >= PART_LENGTH_MAX) end();
  }
  end();
  return { texts, rows: silenced.size };
}

/** Returns the headers of all stored checkpoints, newest first. */
export async function readCheckpoints(store: Pick<Store, 'scan'>): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  for await (const [, text] of store.scan([CHECKPOINT_PREFIX])) all.push(JSON.parse(text) as Checkpoint);
  return all;
}

/**
 * Returns an empty checkpoint that is not stored and precedes the first transition. Returns undefined if there already
 * was state before the first transition, or not all transitions are retained.
 */
export function initialCheckpointOf({ head, isKept }: Timeline): CompleteCheckpoint | undefined {
  if (!isKept || head?.isWhole !== true) return undefined;
  return { from: 0, id: head.since * 1000 - 1, count: 0, rows: 0, era: 0 };
}

export function isComplete(checkpoint: Checkpoint): checkpoint is CompleteCheckpoint {
  return checkpoint.id !== undefined;
}

/** Returns the silences of a namespace in a checkpoint, by id. */
export async function readCheckpointSilences(
  store: Pick<Store, 'scan'>,
  { from }: Checkpoint,
  namespace: string,
): Promise<Map<string, SilencedEntry>> {
  const entries = new Map<string, SilencedEntry>();
  for await (const [, text] of store.scan(silencePartsOf(reverseId(from), namespace))) {
    const stored = JSON.parse(text) as WithStoredReminder<SilencedEntry>[];
    for (const entry of stored.map(toCurrentReminder)) entries.set(entry.id, entry);
  }
  return entries;
}

/** Yields the clients of a namespace in a checkpoint, one part after another. */
export async function* readCheckpointClients(
  store: Pick<Store, 'scan'>,
  { from }: Checkpoint,
  namespace: string,
): AsyncGenerator<ClientPart, void> {
  for await (const [, text] of store.scan(clientPartsOf(reverseId(from), namespace))) yield readClients(text);
}

/**
 * Maximum number of client names that are searched for in the text of a part before it is parsed. If there are more
 * names, parsing every part is faster.
 */
const SEARCHED_MAX = 20;

/**
 * Returns the named clients of a namespace in a checkpoint, each with the id of its part. If only a few names are
 * given, a part with none of them is not parsed.
 *
 * @returns clients by name; clients that are not in the checkpoint are missing
 */
export async function checkpointClients(
  store: Pick<Store, 'scan'>,
  { from }: Checkpoint,
  namespace: string,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, { readonly id: number; readonly client: PastClientPart }>> {
  const clientsByName = new Map<string, { readonly id: number; readonly client: PastClientPart }>();
  if (names.size === 0) return clientsByName;
  const beginnings = Array.from(names, (name) => `[${JSON.stringify(name)},`);
  for await (const [, text] of store.scan(clientPartsOf(reverseId(from), namespace))) {
    if (names.size <= SEARCHED_MAX && !beginnings.some((beginning) => text.includes(beginning))) continue;
    const { id, clients } = readClients(text);
    for (const client of clients) if (names.has(client.name)) clientsByName.set(client.name, { id, client });
    if (clientsByName.size === names.size) break;
  }
  return clientsByName;
}
