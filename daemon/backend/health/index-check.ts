import { respondingMember } from '../../../shared/domain/cluster.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Key, Store } from '../ports.ts';
import { decodeCheckRecord } from '../model/events/check-record.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import { isShared, type SharedStore } from '../store/shared-store.ts';

export interface IndexCheckDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly batcher: Pick<Batcher, 'isIdle' | 'isLeading' | 'commits'>;
  readonly cluster: Pick<Cluster, 'view'>;
  readonly clock: Clock;
}

/** The outcome of a comparison of the registry with the store. */
export interface IndexCheck {
  /** The number of clients that were compared. */
  readonly clients: number;
  /** The number of checks of the compared clients in memory. */
  readonly checks: number;
  /** The differences between memory and store as text; empty if there are none. */
  readonly differences: readonly string[];
}

/**
 * The number of clients that are compared with the store. This sample detects widespread differences and takes only
 * milliseconds.
 */
const SAMPLE_CLIENTS = 20;

/** Maximum time in milliseconds that a health check waits for a comparison. */
const SAMPLE_MS_MAX = 400;

/** Maximum time in milliseconds to wait for a moment between two commits. */
const IDLE_WAIT_MS_MAX = 5000;

/** Maximum number of writes between the memory of a follower and the snapshot with which it is compared. */
const RECENT_WRITES_MAX = 1000;

/**
 * Compares some clients in the registry with the store (reliability 12). Only one comparison is in progress at a time,
 * so health checks do not queue reads behind a store that does not respond.
 */
export class IndexSampler {
  readonly #parts: IndexCheckDependencies;
  #pending: Promise<IndexCheck | undefined> | undefined;

  constructor(parts: IndexCheckDependencies) {
    this.#parts = parts;
  }

  /** @returns the outcome of the comparison; undefined if it fails or takes too long */
  async sample(): Promise<IndexCheck | undefined> {
    const { clock, cluster } = this.#parts;
    // The cluster reports why the database cannot be read.
    if (cluster.view().database.state === 'unavailable') return undefined;
    this.#pending ??= this.#compare().finally(() => {
      this.#pending = undefined;
    });
    const pending = this.#pending;
    return new Promise((resolve) => {
      const late = clock.after(SAMPLE_MS_MAX, () => resolve(undefined));
      const settle = (outcome?: IndexCheck): void => {
        late[Symbol.dispose]();
        resolve(outcome);
      };
      pending.then(settle, () => settle());
    });
  }

  #compare(): Promise<IndexCheck | undefined> {
    const { batcher, cluster, store } = this.#parts;
    if (batcher.isLeading || !isShared(store)) return compareLeader(this.#parts);
    const own = respondingMember(cluster.view());
    return own === undefined ? Promise.resolve(undefined) : compareFollower({ ...this.#parts, store }, own.seq);
  }
}

/**
 * Compares some clients between two commits, when registry and store must be equal.
 *
 * @returns the outcome; undefined if there was no such moment within five seconds
 */
async function compareLeader(parts: IndexCheckDependencies): Promise<IndexCheck | undefined> {
  const begun = await whenIdle(parts, () =>
    // Each scan shows the store as of now, even if commits follow before the scan is read.
    sampleClients(parts.registry).map((client) => ({
      indexedClient: indexedClientOf(client),
      stored: parts.store.scan(recordsOf(client)),
    })),
  );
  return begun === undefined ? undefined : outcomeOf(begun, NO_CHECKS);
}

/**
 * Compares some clients of a follower with a snapshot of the store. The snapshot is newer than the memory, so checks
 * that were written in between are left out.
 *
 * @param seq the sequence number of the last write that is completely in memory
 * @returns the outcome; undefined if too many writes were made in between
 */
async function compareFollower(
  { registry, store }: IndexCheckDependencies & { readonly store: SharedStore },
  seq: number,
): Promise<IndexCheck | undefined> {
  const indexed = sampleClients(registry).map((client) => [recordsOf(client), indexedClientOf(client)] as const);
  await using snapshot = await store.snapshot(MAIN_SHARD);
  const { records } = await store.writtenAfter(MAIN_SHARD, seq, RECENT_WRITES_MAX);
  const isComplete = snapshot.seq <= seq || (records[0]?.seq === seq + 1 && (records.at(-1)?.seq ?? 0) >= snapshot.seq);
  if (!isComplete) return undefined;
  const recent = new Set(records.flatMap(({ keys }) => keys.map((key) => key.join('\0'))));
  const begun = indexed.map(([prefix, indexedClient]) => ({ indexedClient, stored: snapshot.scan(prefix) }));
  return await outcomeOf(begun, recent);
}

const NO_CHECKS: ReadonlySet<string> = new Set();

function sampleClients(registry: Registry): readonly ClientEntry[] {
  return randomSample(registry.namespace(DEFAULT_NAMESPACE).sortedClients(), SAMPLE_CLIENTS, Math.random);
}

function recordsOf({ name }: ClientEntry): Key {
  return [CHECK_RECORDS.prefix, DEFAULT_NAMESPACE, name];
}

/** @param recent keys of the check records that are not compared, joined by NUL */
async function outcomeOf(
  begun: readonly { readonly indexedClient: IndexedClient; readonly stored: AsyncIterable<readonly [Key, string]> }[],
  recent: ReadonlySet<string>,
): Promise<IndexCheck> {
  const differences: string[] = [];
  let checks = 0;
  for (const { indexedClient, stored } of begun) {
    checks += indexedClient.checks.size;
    differences.push(...(await differencesOf(indexedClient, stored, recent)));
  }
  return { clients: begun.length, checks, differences };
}

interface IndexedClient {
  readonly client: string;
  readonly openEvents: number;
  /** The statuses of the last result and of the event as text, by check name. */
  readonly checks: ReadonlyMap<string, string>;
}

function indexedClientOf(client: ClientEntry): IndexedClient {
  const checks = new Map<string, string>();
  for (const [name, { status, state }] of client.checks) checks.set(name, statusSummary(status, state.event?.status));
  return { client: client.name, openEvents: client.openEvents, checks };
}

async function differencesOf(
  indexedClient: IndexedClient,
  stored: AsyncIterable<readonly [Key, string]>,
  recent: ReadonlySet<string>,
): Promise<string[]> {
  const { client, checks } = indexedClient;
  const isRecent = (name: string): boolean =>
    recent.has([CHECK_RECORDS.prefix, DEFAULT_NAMESPACE, client, name].join('\0'));
  const differences: string[] = [];
  const missing = new Set(checks.keys());
  let events = 0;
  for await (const [key, value] of stored) {
    const name = String(key.at(-1));
    const record = decodeCheckRecord(value);
    if (record.event !== undefined) events++;
    missing.delete(name);
    const [expected, actual] = [
      statusSummary(record.check?.status, record.event?.status),
      checks.get(name) ?? 'nothing',
    ];
    if (actual === expected || isRecent(name)) continue;
    differences.push(`${client}/${name}: ${actual} in memory, ${expected} in the store`);
  }
  for (const name of missing) if (!isRecent(name)) differences.push(`${client}/${name}: only in memory`);
  // The number of events of a client is comparable only if none of its checks was written in between.
  if (events !== indexedClient.openEvents && !hasRecent(client, recent)) {
    differences.push(
      `${client}: ${String(indexedClient.openEvents)} events counted in memory, ${String(events)} in the store`,
    );
  }
  return differences;
}

function hasRecent(client: string, recent: ReadonlySet<string>): boolean {
  const prefix = `${[CHECK_RECORDS.prefix, DEFAULT_NAMESPACE, client].join('\0')}\0`;
  for (const key of recent) if (key.startsWith(prefix)) return true;
  return false;
}

function statusSummary(status: number | undefined, eventStatus: number | undefined): string {
  return `status ${String(status ?? 'none')}, event ${String(eventStatus ?? 'none')}`;
}

/**
 * Calls `act` between two commits.
 *
 * @returns the value of `act`; undefined if no such moment came within `IDLE_WAIT_MS_MAX`
 */
function whenIdle<T>({ batcher, clock }: IndexCheckDependencies, act: () => T): Promise<T | undefined> {
  if (batcher.isIdle) return Promise.resolve(act());
  return new Promise((resolve) => {
    const listening = batcher.commits.onIdle(() => {
      end();
      resolve(act());
    });
    const waiting = clock.after(IDLE_WAIT_MS_MAX, () => {
      end();
      resolve(undefined);
    });
    const end = (): void => {
      listening[Symbol.dispose]();
      waiting[Symbol.dispose]();
    };
  });
}

function randomSample<T>(all: readonly T[], size: number, random: () => number): T[] {
  if (all.length <= size) return [...all];
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(Math.floor(random() * all.length));
  return [...chosen].flatMap((at) => all[at] ?? []);
}
