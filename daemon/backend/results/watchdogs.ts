import { expectationOf, isExpected, watchdogVerdict } from '../../../shared/domain/watchdog.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { WATCHDOGS_CLIENT, type Watchdog } from '../../../shared/schemas/watchdog.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Clock } from '../ports.ts';
import { TimeSlice } from '../store/time-slice.ts';
import type { Results } from './commands.ts';
import { removeRuleChecks, submitRuleResults, type RuleResult } from './rule-checks.ts';

/** Interval, in milliseconds, at which watchdogs are evaluated. */
const EVALUATION_INTERVAL_MS = 1000;

/** Seconds between two results of a watchdog. A change of its status produces a result at once. */
const INTERVAL_SECONDS = 60;

/**
 * Minimum seconds between two searches for a missing result of any client. Each search reads all clients.
 */
const SEARCH_SECONDS = 10;

interface WatchdogDependencies {
  /** Returns the watchdogs in force, by name. It is called for each use, because a reload can change them. */
  readonly watchdogs: () => Readonly<Record<string, Watchdog>>;
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly results: Pick<Results, 'submitBackendResult'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns true if results may be missing only because the backend rejects them, or recently did. */
  readonly isAwaitingBacklog: () => boolean;
}

/** The last known arrival for a watchdog. Times are in epoch seconds. */
interface Arrival {
  /** The watchdog in force when the arrival was found. A reload can replace it. */
  readonly watchdog: Watchdog;
  /** Time since which the watchdog is evaluated. */
  readonly since: number;
  readonly last: number | undefined;
  /** Time of the next search. A result that came meanwhile can only be newer than `last`. */
  readonly searchAt: number;
}

/**
 * Evaluates each watchdog, and submits the verdict as the result of a check. The result is removed when its watchdog is
 * removed from the configuration (spec, watchdogs 2).
 */
export function evaluateWatchdogs(dependencies: WatchdogDependencies): Disposable {
  const { watchdogs, registry, batcher, results, clock, log } = dependencies;
  const arrivals = new Map<string, Arrival>();
  let isEvaluating = false;
  return clock.every(EVALUATION_INTERVAL_MS, () => {
    if (isEvaluating || dependencies.isAwaitingBacklog()) return;
    isEvaluating = true;
    void evaluateAll()
      .catch((error: unknown) => {
        // The next evaluation tries again.
        log.warn({ reason: errorMessage(error) }, 'could not store the results of watchdogs, retrying soon');
      })
      .finally(() => {
        isEvaluating = false;
      });
  });

  async function evaluateAll(): Promise<void> {
    const inForce = watchdogs();
    const due: RuleResult[] = [];
    for (const [check, watchdog] of Object.entries(inForce)) {
      const result = await dueResult(check, watchdog);
      if (result !== undefined) due.push(result);
    }
    await submitRuleResults(results, WATCHDOGS_CLIENT, due);
    const checks = registry.findNamespace(DEFAULT_NAMESPACE)?.clients.get(WATCHDOGS_CLIENT)?.checks.keys() ?? [];
    const gone = [...checks].filter((name) => !Object.hasOwn(inForce, name));
    await removeRuleChecks(
      batcher,
      WATCHDOGS_CLIENT,
      gone.map((name) => [DEFAULT_NAMESPACE, name]),
    );
  }

  /** Returns the result of a watchdog if its status has changed, or if its last result is older than the interval. */
  async function dueResult(check: string, watchdog: Watchdog): Promise<RuleResult | undefined> {
    const now = Math.floor(clock.now() / 1000);
    const { since, last } = await arrivalOf(check, watchdog, now);
    const { status, output } = watchdogVerdict(watchdog, { now, since, last });
    const stored = registry.findNamespace(DEFAULT_NAMESPACE)?.check(WATCHDOGS_CLIENT, check);
    if (stored?.status === status && now - stored.executed < INTERVAL_SECONDS) return undefined;
    const interval = INTERVAL_SECONDS;
    return { namespace: DEFAULT_NAMESPACE, check, status, output, interval, attributes: watchdog.check };
  }

  /** Returns the last arrival for a watchdog, and searches for a newer one if the known one would be too old. */
  async function arrivalOf(name: string, watchdog: Watchdog, now: number): Promise<Arrival> {
    const before = arrivals.get(name);
    const cached = before?.watchdog === watchdog ? before : undefined;
    if (cached !== undefined && now < cached.searchAt) return cached;
    const namespace = registry.findNamespace(DEFAULT_NAMESPACE);
    const last = namespace && (await lastArrival(namespace, watchdog));
    const dueAt = (last ?? 0) + watchdog.within;
    const isOfOneClient = expectationOf(watchdog).client !== undefined;
    const searchAt = dueAt > now ? dueAt : now + (isOfOneClient ? 0 : SEARCH_SECONDS);
    const arrival = { watchdog, since: cached?.since ?? now, last, searchAt };
    arrivals.set(name, arrival);
    return arrival;
  }
}

/** Returns the time, in epoch seconds, of the newest stored result that a watchdog expects. */
async function lastArrival(namespace: Namespace, watchdog: Watchdog): Promise<number | undefined> {
  const expectation = expectationOf(watchdog);
  const { client, check, kind } = expectation;
  if (client !== undefined) return namespace.check(client, check)?.executed;
  const slice = new TimeSlice();
  let last: number | undefined;
  for (const { checks } of namespace.clients.values()) {
    if (slice.isDue) await slice.share();
    const entries = kind === 'check' ? [checks.get(check)] : checks.values();
    for (const entry of entries) {
      if (entry !== undefined && isExpected(expectation, entry)) last = Math.max(last ?? 0, entry.executed);
    }
  }
  return last;
}
