import { hasStaleOutput, ttlRemovedResult, ttlOf, removeTtl } from '../../../shared/domain/ttl.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { Definitions } from '../model/config/definitions.ts';
import { saveCheck } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { Clock } from '../ports.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { processResult } from './process-result.ts';
import { checkKey, namesOf, ttlDefinitionsOf, type CheckKey } from '../model/results/ttl-definitions.ts';
import { TTL_DEFINITIONS } from '../model/results/storage.ts';

/**
 * Number of clients whose results one command changes, so that a check on a large fleet does not delay other results.
 */
const SLICE_CLIENTS = 200;

/** Pause in milliseconds before another attempt after the store rejected a write. */
const RETRY_MS = 1000;

/**
 * Number of seconds for which late results of a removed check definition are recognized. No agent retains results
 * longer.
 */
const REMEMBERED_SECONDS = 7 * 86_400;

/** The user name that is recorded when an event resolves because the definition of its check was removed. */
const BACKEND_USER = 'mon';

interface RetirementDependencies {
  readonly registry: Registry;
  readonly batcher: Pick<Batcher, 'run'>;
  readonly definitions: Pick<Definitions, 'inNamespace' | 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Ends the TTL monitoring of a check when its definition is removed or loses its `ttl` (completion 1.14). The list of
 * definitions with a `ttl` is stored, so that the backend also notices definitions that were removed while it did not
 * run.
 */
export function retireTtls(parts: RetirementDependencies): Disposable {
  const { definitions, clock, log } = parts;
  let isWorking = false;
  let isDisposed = false;
  const isOver = (): boolean => isDisposed;
  let hasChanged = true;
  let retry: Disposable | undefined;

  async function work(): Promise<void> {
    isWorking = true;
    try {
      while (hasChanged && !isOver()) {
        hasChanged = false;
        for (const [namespace, check] of await storeTtlDefinitions(parts)) await retireCheck(parts, namespace, check);
      }
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'could not stop the TTL monitoring of removed checks, retrying soon');
      hasChanged = true;
      if (!isOver()) {
        retry = clock.after(RETRY_MS, () => {
          retry = undefined;
          void work();
        });
      }
    }
    isWorking = false;
  }

  const following = definitions.onChange(() => {
    hasChanged = true;
    if (!isWorking && retry === undefined) void work();
  });
  void work();
  return {
    [Symbol.dispose]() {
      isDisposed = true;
      following[Symbol.dispose]();
      retry?.[Symbol.dispose]();
    },
  };
}

/**
 * Removes the `ttl` from the last result of a check whose definition was removed or lost its `ttl`. An open event about
 * missing results is resolved. An event about a problem that the check found stays open, as in Sensu.
 *
 * @param entry the check; its stored record must have been read for this command
 */
export function retireResult(transaction: Transaction, entry: CheckEntry): void {
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const { check } = bodies;
  if (check === null || ttlOf(check) === 0) return;
  const { name: client, namespace } = entry.client;
  if (entry.state.event !== undefined && hasStaleOutput(check)) {
    processResult(transaction, namespace, {
      client,
      reporter: client,
      by: BACKEND_USER,
      check: ttlRemovedResult(check, client),
    });
    return;
  }
  const eventCheck = bodies.eventCheck === undefined ? undefined : removeTtl(bodies.eventCheck);
  saveCheck(transaction, entry, entry.state, { ...bodies, check: removeTtl(check), eventCheck }, undefined);
}

/**
 * Stores which check definitions have a `ttl` now.
 *
 * @returns the checks whose definition has lost its `ttl`, now or within the last `REMEMBERED_SECONDS`
 */
async function storeTtlDefinitions({
  registry,
  batcher,
  definitions,
  clock,
}: RetirementDependencies): Promise<readonly (readonly [namespace: string, check: string])[]> {
  const now = Math.floor(clock.now() / 1000);
  const next = new Map<CheckKey, number | null>();
  for (const namespace of registry.declared.names()) {
    for (const { name, ttl, standalone } of definitions.inNamespace(namespace).checks()) {
      if (typeof ttl === 'number' && ttl > 0 && standalone !== true) next.set(checkKey(namespace, name), null);
    }
  }
  const before = ttlDefinitionsOf(registry).checks;
  for (const [key, removed] of before) {
    if (!next.has(key) && (removed ?? now) > now - REMEMBERED_SECONDS) next.set(key, removed ?? now);
  }
  const isSame = next.size === before.size && [...next].every(([key, removed]) => before.get(key) === removed);
  if (!isSame) await saveTtlDefinitions(batcher, next);
  return [...next].flatMap(([key, removed]) => (removed === null ? [] : [namesOf(key)]));
}

/**
 * Stores which checks have, or had, a definition with a `ttl`.
 *
 * @param checks for each check, the time in epoch seconds when its definition lost the `ttl`; null if it still has one
 * @throws MonError `unavailable`
 */
export function saveTtlDefinitions(
  batcher: Pick<Batcher, 'run'>,
  checks: ReadonlyMap<CheckKey, number | null>,
): Promise<void> {
  return batcher.run((transaction) => {
    ttlDefinitionsOf(transaction.registry).checks = checks;
    transaction.putLatest(TTL_DEFINITIONS, transaction.registry, 'checks');
  });
}

async function retireCheck({ registry, batcher }: RetirementDependencies, name: string, check: string): Promise<void> {
  const clients: string[] = [];
  for (const client of registry.findNamespace(name)?.clients.values() ?? []) {
    if ((client.checks.get(check)?.ttl ?? 0) > 0) clients.push(client.name);
  }
  for (let start = 0; start < clients.length; start += SLICE_CLIENTS) {
    const slice = clients.slice(start, start + SLICE_CLIENTS);
    const entriesOf = (current: Registry): CheckEntry[] =>
      slice.flatMap((client) => current.findNamespace(name)?.check(client, check) ?? []);
    await batcher.run(
      (transaction) => {
        const definitions = ttlDefinitionsOf(transaction.registry);
        for (const entry of entriesOf(transaction.registry)) {
          if (!transaction.hasBody(CHECK_RECORDS, entry)) continue;
          const { check: last } = transaction.body(CHECK_RECORDS, entry);
          if (last !== null && definitions.isRetired(name, last)) retireResult(transaction, entry);
        }
      },
      { weight: slice.length, needs: entriesOf },
    );
  }
}
