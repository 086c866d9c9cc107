import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Key, Store } from '../ports.ts';
import { decodeCheckRecord } from '../model/events/check-record.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';

export interface IndexCheckDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly batcher: Pick<Batcher, 'isIdle' | 'commits'>;
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

/** The maximum time to wait for a moment between two commits. */
const IDLE_WAIT_MS_MAX = 5000;

/**
 * Compares some clients in the registry with a scan of the store (reliability 12). It waits for a moment between two
 * commits, when registry and store must be equal.
 *
 * @param random returns a number from 0 to below 1, which selects the clients
 * @returns the outcome of the comparison; undefined if there was no such moment within five seconds
 */
export async function checkIndexes(
  parts: IndexCheckDependencies,
  namespaceName: string,
  sampleSize: number,
  random: () => number,
): Promise<IndexCheck | undefined> {
  const begun = await whenIdle(parts, () => {
    const clients = randomSample(parts.registry.namespace(namespaceName).sortedClients(), sampleSize, random);
    // Each scan shows the store as of now, even if commits follow before the scan is read.
    return clients.map((client) => ({
      indexedClient: indexedClientOf(client),
      stored: parts.store.scan([CHECK_RECORDS.prefix, namespaceName, client.name]),
    }));
  });
  if (begun === undefined) return undefined;
  const differences: string[] = [];
  let checks = 0;
  for (const { indexedClient, stored } of begun) {
    checks += indexedClient.checks.size;
    differences.push(...(await differencesOf(indexedClient, stored)));
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
): Promise<string[]> {
  const { client, checks } = indexedClient;
  const differences: string[] = [];
  const missing = new Set(checks.keys());
  let events = 0;
  for await (const [key, value] of stored) {
    const name = String(key.at(-1));
    const record = decodeCheckRecord(value);
    if (record.event !== undefined) events++;
    const [expected, actual] = [
      statusSummary(record.check?.status, record.event?.status),
      checks.get(name) ?? 'nothing',
    ];
    if (actual !== expected) differences.push(`${client}/${name}: ${actual} in memory, ${expected} in the store`);
    missing.delete(name);
  }
  for (const name of missing) differences.push(`${client}/${name}: only in memory`);
  if (events !== indexedClient.openEvents) {
    differences.push(
      `${client}: ${String(indexedClient.openEvents)} events counted in memory, ${String(events)} in the store`,
    );
  }
  return differences;
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
