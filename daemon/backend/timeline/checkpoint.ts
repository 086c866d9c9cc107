import type { PastEvent } from '../../../shared/domain/timeline/past.ts';
import { hasState } from '../../../shared/domain/timeline/state-change.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { shownOutput } from '../model/events/feed-rows.ts';
import type { Store } from '../ports.ts';
import { byName } from '../model/registry/by-name.ts';
import { eventsOf, type CheckEntry, type ClientEntry, type Namespace } from '../model/registry/namespace.ts';
import { withCurrentReminder, withStoredReminder, type WithStoredReminder } from '../model/silences/stored-reminder.ts';
import type { Timeline } from '../model/timeline/state.ts';
import { CHECKPOINT_PREFIX, clientPartsOf, reverseId, silencePartsOf } from '../model/timeline/storage.ts';

/*
 * The format of checkpoints: the state of each namespace as the registry had it, in parts that were written one after
 * the other. Each part is exact at an id of its own. Together with the transitions from the first of these ids on it
 * gives the state at any later moment (spec, timeline 5).
 */

/** Length of the text at which a part is full. */
const PART_LENGTH = 64 * 1024;

/** Maximum number of checks per part, which take about a millisecond. */
const CHECKS_EACH = 2000;

/** The header of a checkpoint. */
export interface Checkpoint {
  /** Id at which its writing began; no part is older. It identifies the checkpoint. */
  readonly from: number;
  /** Id from which on the checkpoint gives the state; absent: it is incomplete, or being erased. */
  readonly id?: number;
  /** Number of ids assigned before it, including its own two. */
  readonly count: number;
  /** Number of clients, events and silences in it. */
  readonly rows: number;
  /** Number of clock corrections at that time, because a correction shifts future times. */
  readonly era: number;
}

/** A checkpoint that can be used. */
export type CompleteCheckpoint = Checkpoint & { readonly id: number };

/** A client with its events; `checkCount`: number of checks with a known state. */
interface PastClientPart {
  readonly name: string;
  readonly checkCount: number;
  readonly events: ReadonlyMap<string, PastEvent>;
}

/** Some clients, as they were at an id. */
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
];
interface StoredClients {
  readonly id: number;
  readonly clients: readonly (readonly [name: string, checkCount: number, ...events: StoredEvent[]])[];
}

/** A part in its stored form, and the position after it. */
export interface TakenClients {
  /** Undefined: there is nothing to store. */
  readonly text: string | undefined;
  readonly rows: number;
  /** The last processed client; undefined: it was the last of the namespace. */
  readonly after: string | undefined;
}

/**
 * Returns the next part of a namespace.
 *
 * @param id of the newest transition that the part contains
 * @param after the last client of the previous part; undefined: this is the first part
 */
export function takeClients(namespace: Namespace, id: number, after: string | undefined): TakenClients {
  const all = namespace.sortedClients();
  const texts: string[] = [];
  let length = 0;
  let rows = 0;
  let looked = 0;
  let at = after === undefined ? 0 : firstBehind(all, after);
  for (; at < all.length && length < PART_LENGTH && looked < CHECKS_EACH; at++) {
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

function firstBehind(all: readonly ClientEntry[], name: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const client = all[middle];
    if (client !== undefined && byName(client, { name }) <= 0) low = middle + 1;
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
  const { status = 0, action, occurrences = 0, lastStateChange, timestamp = 0 } = event ?? {};
  const isFlapping = action === 'flapping' ? 1 : 0;
  return [name, status, isFlapping, occurrences, lastStateChange ?? timestamp, timestamp, shownOutput(client, summary)];
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

function readEvent([check, status, isFlapping, occurrences, since, last, output]: StoredEvent): [string, PastEvent] {
  return [check, { status, isFlapping: isFlapping === 1, occurrences, since, last, output }];
}

/** Returns all silenced entries of a namespace, in parts. */
export function takeSilences({ silenced }: Namespace): { readonly texts: readonly string[]; readonly rows: number } {
  const texts: string[] = [];
  let part: string[] = [];
  let length = 0;
  const end = (): void => {
    if (part.length > 0) texts.push(`[${part.join(',')}]`);
    part = [];
    length = 0;
  };
  for (const entry of silenced.all()) {
    // Omitted, because no transition records the end of the idle state.
    const text = JSON.stringify(withStoredReminder({ ...entry, idle: undefined }));
    part.push(text);
    length += text.length;
    if (length >= PART_LENGTH) end();
  }
  end();
  return { texts, rows: silenced.size };
}

/** Returns the stored checkpoints, the newest first. */
export async function checkpointsIn(store: Pick<Store, 'scan'>): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  for await (const [, text] of store.scan([CHECKPOINT_PREFIX])) all.push(JSON.parse(text) as Checkpoint);
  return all;
}

/**
 * Returns a virtual checkpoint before the first transition, if nothing was known then and all transitions are retained;
 * otherwise undefined.
 */
export function beginningOf({ head, isKept }: Timeline): CompleteCheckpoint | undefined {
  if (!isKept || head?.isWhole !== true) return undefined;
  return { from: 0, id: head.since * 1000 - 1, count: 0, rows: 0, era: 0 };
}

export function isComplete(checkpoint: Checkpoint): checkpoint is CompleteCheckpoint {
  return checkpoint.id !== undefined;
}

/** Returns the silenced entries of a namespace in a checkpoint. */
export async function silencesAt(
  store: Pick<Store, 'scan'>,
  { from }: Checkpoint,
  namespace: string,
): Promise<Map<string, SilencedEntry>> {
  const entries = new Map<string, SilencedEntry>();
  for await (const [, text] of store.scan(silencePartsOf(reverseId(from), namespace))) {
    const stored = JSON.parse(text) as WithStoredReminder<SilencedEntry>[];
    for (const entry of stored.map(withCurrentReminder)) entries.set(entry.id, entry);
  }
  return entries;
}

/** Yields the clients of a namespace in a checkpoint, in parts. */
export async function* clientsAt(
  store: Pick<Store, 'scan'>,
  { from }: Checkpoint,
  namespace: string,
): AsyncGenerator<ClientPart, void> {
  for await (const [, text] of store.scan(clientPartsOf(reverseId(from), namespace))) yield readClients(text);
}

/** Number of names above which a part is parsed without searching its text for each name first. */
const SEARCHED_MAX = 20;

/**
 * Returns some clients of a namespace in a checkpoint, each with the id of its part. Parts without any of them are not
 * parsed.
 *
 * @returns clients by name; a missing name is not in the checkpoint
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
