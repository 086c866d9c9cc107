import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  mayMatchOpenEvent,
  type InhibitionRule,
  type OpenEventAttributes,
} from '../../../../shared/domain/notify/inhibition-rule.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { EventKey } from '../event-queue.ts';
import type { Clock } from '../../ports.ts';
import type { CheckEntry, Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { inhibitorsOf, createEvaluatedInhibitionRules } from '../../model/notify/inhibitions/state.ts';
import type { InhibitorKey, InhibitionUpdates } from './rule-changes.ts';

/** Maximum number of events, or of inhibitor records, that one commit changes. Other work runs between two commits. */
const EVENTS_PER_CHUNK = 50;
/**
 * Maximum number of evaluations in one commit. An evaluation matches one event with one inhibition rule. This many
 * evaluations take a few milliseconds.
 */
const EVALUATIONS_PER_CHUNK = 400;
/**
 * Number of checks that are matched with the inhibition rules in memory between two reads of the clock. It is small, so
 * that the search yields to other work in time even with 200 rules.
 */
const EVENTS_PER_CLOCK_READ = 4;
/** Time in milliseconds after which the evaluation of open events yields to other work. */
const YIELD_AFTER_MS = 4;
/** Delay in milliseconds before the evaluation of open events starts again after an error. */
const RETRY_DELAY_MS = 1000;

interface RuleWatcherDependencies {
  readonly registry: Registry;
  readonly definitions: Pick<Definitions, 'inhibitions' | 'onChange'>;
  readonly updates: Pick<
    InhibitionUpdates,
    'removeInhibitors' | 'recordInhibitors' | 'evaluateEvents' | 'recordEvaluatedRules'
  >;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Evaluates the open events against the inhibition rules whenever the rules change, and at start if they changed while
 * the backend was down (inhibition 4). A search in memory finds the few events that the changed rules may match, so
 * that only the stored records of these events are read.
 */
export function watchInhibitionRules(deps: RuleWatcherDependencies): Disposable {
  return new InhibitionRuleWatcher(deps);
}

class InhibitionRuleWatcher implements Disposable {
  readonly #deps: RuleWatcherDependencies;
  readonly #ruleChangeListener: Disposable;
  #isEvaluating = false;
  #isDisposed = false;
  #retryTimer: Disposable | undefined;

  constructor(deps: RuleWatcherDependencies) {
    this.#deps = deps;
    this.#ruleChangeListener = deps.definitions.onChange(() => this.#startEvaluationIfOutdated());
    this.#startEvaluationIfOutdated();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#ruleChangeListener[Symbol.dispose]();
    this.#retryTimer?.[Symbol.dispose]();
  }

  #startEvaluationIfOutdated(): void {
    if (!this.#isEvaluating && this.#retryTimer === undefined && !this.#isEvaluationUpToDate())
      void this.#evaluateUntilUpToDate();
  }

  #isEvaluationUpToDate(): boolean {
    const { registry, definitions } = this.#deps;
    const { fingerprints } = registry.state(createEvaluatedInhibitionRules);
    const currentFingerprints = ruleFingerprints(definitions.inhibitions);
    return (
      fingerprints.length === currentFingerprints.size &&
      fingerprints.every((fingerprint) => currentFingerprints.has(fingerprint))
    );
  }

  /**
   * Evaluates the open events until all of them have been evaluated against the current rules. If the rules change
   * meanwhile, starts again. Never rejects: after an error, a timer starts the evaluation again.
   */
  async #evaluateUntilUpToDate(): Promise<void> {
    this.#isEvaluating = true;
    try {
      while (!this.#isDisposed && !this.#isEvaluationUpToDate())
        await this.#evaluateOpenEvents(this.#deps.definitions.inhibitions);
    } catch (error) {
      this.#scheduleRetry(error);
    }
    this.#isEvaluating = false;
  }

  #scheduleRetry(error: unknown): void {
    if (this.#isDisposed) return;
    const { clock, log } = this.#deps;
    log.warn({ reason: errorMessage(error) }, 'inhibitions of open events could not be evaluated, retrying soon');
    this.#retryTimer = clock.after(RETRY_DELAY_MS, () => {
      this.#retryTimer = undefined;
      this.#startEvaluationIfOutdated();
    });
  }

  /**
   * Evaluates all open events against `rules`. Stops early if the inhibition rules change or the registry is reloaded;
   * the caller then starts again.
   */
  async #evaluateOpenEvents(rules: readonly InhibitionRule[]): Promise<void> {
    const { registry, updates } = this.#deps;
    const { generation } = registry;
    const chunkSize = Math.max(
      1,
      Math.min(EVENTS_PER_CHUNK, Math.floor(EVALUATIONS_PER_CHUNK / Math.max(1, rules.length))),
    );
    const isCanceled = (): boolean =>
      this.#isDisposed || registry.generation !== generation || this.#deps.definitions.inhibitions !== rules;
    const currentFingerprints = ruleFingerprints(rules);
    const evaluatedFingerprints = new Set(registry.state(createEvaluatedInhibitionRules).fingerprints);
    const newRules = rules.filter(({ fingerprint }) => !evaluatedFingerprints.has(fingerprint));
    await this.#processInChunks(
      this.#findOutdatedInhibitors(currentFingerprints),
      EVENTS_PER_CHUNK,
      isCanceled,
      (keys) => updates.removeInhibitors(keys, currentFingerprints),
    );
    // Record all inhibitors under the new rules first. Then evaluate the events that these inhibitors may inhibit.
    const possibleInhibitorKeys = this.#selectOpenEvents((event) =>
      newRules.some(({ source }) => mayMatchOpenEvent(source, event)),
    );
    await this.#processInChunks(possibleInhibitorKeys, chunkSize, isCanceled, (keys) =>
      updates.recordInhibitors(keys, rules),
    );
    await this.#processInChunks(
      this.#findEventsInhibitedByRemovedRules(currentFingerprints),
      chunkSize,
      isCanceled,
      (keys) => updates.evaluateEvents(keys),
    );
    const possiblyInhibitedKeys = this.#selectOpenEvents((event, inhibitors) =>
      newRules.some((rule) => inhibitors.hasInhibitor(rule) && mayMatchOpenEvent(rule.target, event)),
    );
    await this.#processInChunks(possiblyInhibitedKeys, chunkSize, isCanceled, (keys) => updates.evaluateEvents(keys));
    if (!isCanceled()) await updates.recordEvaluatedRules([...currentFingerprints]);
  }

  /**
   * Passes keys in chunks to `processChunk`, and yields to other work in between. Candidates that are undefined are
   * skipped: they only give this function an opportunity to yield.
   */
  async #processInChunks<Key>(
    candidates: Iterable<Key | undefined>,
    chunkSize: number,
    isCanceled: () => boolean,
    processChunk: (keys: readonly Key[]) => Promise<void>,
  ): Promise<void> {
    const { clock } = this.#deps;
    let keys: Key[] = [];
    let checkedCount = 0;
    let chunkStartMs = clock.monotonic();
    for (const key of candidates) {
      if (isCanceled()) return;
      if (key !== undefined) keys.push(key);
      if (keys.length === chunkSize) {
        await processChunk(keys);
        keys = [];
        chunkStartMs = clock.monotonic();
      } else if (++checkedCount % EVENTS_PER_CLOCK_READ === 0 && clock.monotonic() - chunkStartMs >= YIELD_AFTER_MS) {
        await yieldToEventLoop();
        chunkStartMs = clock.monotonic();
      }
    }
    if (keys.length > 0 && !isCanceled()) await processChunk(keys);
  }

  /**
   * Yields the keys of all inhibitor records whose rule was changed or removed. For each other inhibitor record, it
   * yields undefined, so that a long search can be interrupted.
   */
  *#findOutdatedInhibitors(
    currentFingerprints: ReadonlySet<string>,
  ): Generator<InhibitorKey | undefined, void, undefined> {
    for (const namespace of this.#deps.registry.namespaces()) {
      for (const { rule, fingerprint, client, check } of inhibitorsOf(namespace).all()) {
        yield currentFingerprints.has(fingerprint) ? undefined : [namespace.name, rule, client, check];
      }
    }
  }

  /**
   * Yields the keys of all events that are inhibited under a rule that was changed or removed. For each other inhibited
   * event, it yields undefined, so that a long search can be interrupted.
   */
  *#findEventsInhibitedByRemovedRules(
    currentFingerprints: ReadonlySet<string>,
  ): Generator<EventKey | undefined, void, undefined> {
    for (const namespace of this.#deps.registry.namespaces()) {
      for (const entry of namespace.inhibited.all()) {
        const inhibitor = entry.state.event?.notifications.inhibitedBy;
        yield inhibitor === undefined || currentFingerprints.has(inhibitor.fingerprint) ? undefined : eventKey(entry);
      }
    }
  }

  /**
   * Yields the keys of all open events that the predicate `isSelected` accepts. For each other check, it yields
   * undefined, so that a long search can be interrupted.
   */
  *#selectOpenEvents(
    isSelected: (event: OpenEventAttributes, inhibitors: ReturnType<typeof inhibitorsOf>) => boolean,
  ): Generator<EventKey | undefined, void, undefined> {
    for (const namespace of this.#deps.registry.namespaces()) {
      const inhibitors = inhibitorsOf(namespace);
      for (const entry of checksOfClientsWithOpenEvents(namespace)) {
        const event = openEventAttributes(entry);
        yield event !== undefined && isSelected(event, inhibitors) ? eventKey(entry) : undefined;
      }
    }
  }
}

function ruleFingerprints(rules: readonly InhibitionRule[]): ReadonlySet<string> {
  return new Set(rules.map(({ fingerprint }) => fingerprint));
}

/**
 * Yields all checks of each client that has an open event, in no particular order. The checks may change meanwhile. An
 * event that opens or resolves meanwhile is evaluated when its own result is processed.
 */
function* checksOfClientsWithOpenEvents({ clients }: Namespace): Generator<CheckEntry, void, undefined> {
  for (const client of clients.values()) if (client.openEvents > 0) yield* client.checks.values();
}

function openEventAttributes({ client, name, state }: CheckEntry): OpenEventAttributes | undefined {
  if (state.event === undefined) return undefined;
  const { status, occurrences } = state.event;
  const { namespace, subscriptions } = client;
  return { namespace: namespace.name, client: client.name, check: name, subscriptions, status, occurrences };
}

function eventKey({ client, name }: CheckEntry): EventKey {
  return [client.namespace.name, client.name, name];
}
