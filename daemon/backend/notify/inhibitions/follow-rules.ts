import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  couldConcern,
  type InhibitionRule,
  type OpenEventAttributes,
} from '../../../../shared/domain/notify/inhibition-rule.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { EventKey } from '../silence-ends/commands.ts';
import type { Clock } from '../../ports.ts';
import type { CheckEntry, Namespace } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { inhibitorsOf, openSettledRules } from '../../model/notify/inhibitions/state.ts';
import type { InhibitorKey, RuleChanges } from './rule-changes.ts';

/**
 * Maximum number of events or inhibitor records that are changed in one commit. Other work runs between the commits.
 */
const SLICE = 50;
/** Maximum number of evaluations for one commit (events times rules). They take some milliseconds. */
const SLICE_JUDGEMENTS = 400;
/** Number of events that are checked in memory between two reads of the clock; few enough for 200 rules. */
const EVENTS_PER_LOOK = 4;
/** Time in milliseconds after which the evaluation of events yields to other work. */
const YIELD_AFTER_MS = 4;
/** Delay in milliseconds before the evaluation of open events starts again after an error. */
const RETRY_MS = 1000;

interface RulesParts {
  readonly registry: Registry;
  readonly definitions: Pick<Definitions, 'inhibitions' | 'onChange'>;
  readonly changes: Pick<RuleChanges, 'forget' | 'note' | 'judge' | 'settle'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Evaluates the open events against the inhibition rules whenever the rules change, and at start (inhibition 4). A
 * search in memory finds the few events that the changed rules may match. Only the records of these events are read.
 */
export function followRules(parts: RulesParts): Disposable {
  return new RuleFollower(parts);
}

class RuleFollower implements Disposable {
  readonly #parts: RulesParts;
  readonly #listening: Disposable;
  #isWorking = false;
  #isDisposed = false;
  #retry: Disposable | undefined;

  constructor(parts: RulesParts) {
    this.#parts = parts;
    this.#listening = parts.definitions.onChange(() => this.#look());
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#listening[Symbol.dispose]();
    this.#retry?.[Symbol.dispose]();
  }

  #look(): void {
    if (!this.#isWorking && this.#retry === undefined && !this.#isSettled()) void this.#work();
  }

  #isSettled(): boolean {
    const { registry, definitions } = this.#parts;
    const { fingerprints } = registry.state(openSettledRules);
    const inForce = fingerprintsOf(definitions.inhibitions);
    return fingerprints.length === inForce.size && fingerprints.every((fingerprint) => inForce.has(fingerprint));
  }

  /**
   * Evaluates open events until all are evaluated against the current rules. Never rejects: after an error it is
   * started again later.
   */
  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      while (!this.#isDisposed && !this.#isSettled()) await this.#apply(this.#parts.definitions.inhibitions);
    } catch (error) {
      this.#retryLater(error);
    }
    this.#isWorking = false;
  }

  #retryLater(error: unknown): void {
    if (this.#isDisposed) return;
    const { clock, log } = this.#parts;
    log.warn({ reason: errorMessage(error) }, 'inhibitions of open events could not be evaluated, retrying soon');
    this.#retry = clock.after(RETRY_MS, () => {
      this.#retry = undefined;
      this.#look();
    });
  }

  /**
   * Evaluates the open events against these rules. Stops early if the rules change or the registry is reloaded; the
   * caller then starts again.
   */
  async #apply(rules: readonly InhibitionRule[]): Promise<void> {
    const { registry, changes } = this.#parts;
    const { generation } = registry;
    const size = Math.max(1, Math.min(SLICE, Math.floor(SLICE_JUDGEMENTS / Math.max(1, rules.length))));
    const isOver = (): boolean =>
      this.#isDisposed || registry.generation !== generation || this.#parts.definitions.inhibitions !== rules;
    const inForce = fingerprintsOf(rules);
    const settled = new Set(registry.state(openSettledRules).fingerprints);
    const fresh = rules.filter(({ fingerprint }) => !settled.has(fingerprint));
    await this.#inChunks(this.#outdated(inForce), SLICE, isOver, (keys) => changes.forget(keys, inForce));
    // First record all inhibitors, then evaluate the events that they may inhibit.
    const mayInhibit = this.#concerned((event) => fresh.some(({ source }) => couldConcern(source, event)));
    await this.#inChunks(mayInhibit, size, isOver, (keys) => changes.note(keys, rules));
    await this.#inChunks(this.#noLongerInhibited(inForce), size, isOver, (keys) => changes.judge(keys));
    const mayBeInhibited = this.#concerned((event, inhibitors) =>
      fresh.some((rule) => inhibitors.isFiring(rule) && couldConcern(rule.target, event)),
    );
    await this.#inChunks(mayBeInhibited, size, isOver, (keys) => changes.judge(keys));
    if (!isOver()) await changes.settle([...inForce]);
  }

  /**
   * Passes the candidates in chunks to a function, and yields to other work in between. Undefined candidates are
   * skipped.
   */
  async #inChunks<Key>(
    candidates: Iterable<Key | undefined>,
    size: number,
    isOver: () => boolean,
    work: (keys: readonly Key[]) => Promise<void>,
  ): Promise<void> {
    const { clock } = this.#parts;
    let keys: Key[] = [];
    let looked = 0;
    let sinceMs = clock.monotonic();
    for (const key of candidates) {
      if (isOver()) return;
      if (key !== undefined) keys.push(key);
      if (keys.length === size) {
        await work(keys);
        keys = [];
        sinceMs = clock.monotonic();
      } else if (++looked % EVENTS_PER_LOOK === 0 && clock.monotonic() - sinceMs >= YIELD_AFTER_MS) {
        await yieldToEventLoop();
        sinceMs = clock.monotonic();
      }
    }
    if (keys.length > 0 && !isOver()) await work(keys);
  }

  /** Yields the keys of inhibitor records whose rule was changed or removed; undefined in place of any other record. */
  *#outdated(inForce: ReadonlySet<string>): Generator<InhibitorKey | undefined, void, undefined> {
    for (const namespace of this.#parts.registry.namespaces()) {
      for (const { rule, fingerprint, client, check } of inhibitorsOf(namespace).all()) {
        yield inForce.has(fingerprint) ? undefined : [namespace.name, rule, client, check];
      }
    }
  }

  /**
   * Yields the keys of inhibited events whose rule was changed or removed; undefined in place of any other inhibited
   * event.
   */
  *#noLongerInhibited(inForce: ReadonlySet<string>): Generator<EventKey | undefined, void, undefined> {
    for (const namespace of this.#parts.registry.namespaces()) {
      for (const entry of namespace.inhibited.all()) {
        const inhibitor = entry.state.event?.notifications.inhibitedBy;
        yield inhibitor === undefined || inForce.has(inhibitor.fingerprint) ? undefined : keyOf(entry);
      }
    }
  }

  /** Yields the keys of the open events that a predicate selects; undefined in place of any other check. */
  *#concerned(
    isConcerned: (event: OpenEventAttributes, inhibitors: ReturnType<typeof inhibitorsOf>) => boolean,
  ): Generator<EventKey | undefined, void, undefined> {
    for (const namespace of this.#parts.registry.namespaces()) {
      const inhibitors = inhibitorsOf(namespace);
      for (const entry of openIn(namespace)) {
        const event = openEventAttributesOf(entry);
        yield event !== undefined && isConcerned(event, inhibitors) ? keyOf(entry) : undefined;
      }
    }
  }
}

function fingerprintsOf(rules: readonly InhibitionRule[]): ReadonlySet<string> {
  return new Set(rules.map(({ fingerprint }) => fingerprint));
}

/**
 * Yields the checks of all clients that have open events, in no particular order, without sorting or copying. An event
 * that opens or resolves during the iteration is evaluated with its own result.
 */
function* openIn({ clients }: Namespace): Generator<CheckEntry, void, undefined> {
  for (const client of clients.values()) if (client.openEvents > 0) yield* client.checks.values();
}

function openEventAttributesOf({ client, name, state }: CheckEntry): OpenEventAttributes | undefined {
  if (state.event === undefined) return undefined;
  const { status, occurrences } = state.event;
  const { namespace, subscriptions } = client;
  return { namespace: namespace.name, client: client.name, check: name, subscriptions, status, occurrences };
}

function keyOf({ client, name }: CheckEntry): EventKey {
  return [client.namespace.name, client.name, name];
}
