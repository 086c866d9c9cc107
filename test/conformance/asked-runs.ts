import type { Store, StoreOp } from '../../daemon/backend/ports.ts';
import { HANDLER_JOB_PREFIX } from '../../daemon/backend/model/notify/delivery/storage.ts';
import type { HandlerJob } from '../../shared/schemas/handler-job.ts';
import { FaultyStore } from '../support/faulty-store.ts';
import { normalized } from './compare.ts';
import { at } from './decision.ts';
import type { Line, ScenarioName } from './scenario.ts';

const HANDLER = /^handler:(.*)$/;

/** Handlers whose mutator changes or drops the event; test/daemon/backend/handlers tests them. */
const MUTATED: ReadonlySet<string> = new Set(['onlyout', 'mutated', 'badmut', 'nomut']);

/** Numbers of the lines before which the recorder emptied the output of the handler without recording that. */
const EMPTIED_BEFORE: Readonly<Partial<Record<ScenarioName, readonly number[]>>> = {
  clients: [135],
  keepalive_ttl: [36],
  resolve: [14],
};

/** Collects the handler runs that a backend requests, from the operations that it commits to its store. */
export class RequestedRuns {
  readonly #file: ScenarioName;
  /** Events that have not been compared yet, by handler. */
  readonly #events = new Map<string, unknown[]>();

  #store: FaultyStore | undefined;

  /**
   * True if Sensu Core acts by itself at certain times in the scenario. Actions at the same time have an arbitrary
   * order.
   */
  readonly #hasTimedActions: boolean;

  constructor(file: ScenarioName, isByTheClock: boolean) {
    this.#file = file;
    this.#hasTimedActions = isByTheClock;
  }

  /** Whether the backend is waiting for a read from its store; no queue shows that work. */
  get isReading(): boolean {
    return (this.#store?.reading ?? 0) > 0;
  }

  observingStore(store: Store): Store {
    const watched = new FaultyStore(store);
    this.#store = watched;
    watched.refuses = (ops) => {
      for (const op of ops) this.#recordOp(op);
      return false;
    };
    return watched;
  }

  /**
   * Returns the events of a handler since the previous line about it; `undefined` if the line is not about a handler
   * whose events are compared.
   */
  takeEvents(line: Extract<Line, { readonly kind: 'observe' }>): readonly unknown[] | undefined {
    const handler = HANDLER.exec(line.what)?.[1];
    if (handler === undefined || MUTATED.has(handler)) return undefined;
    const events = this.#events.get(handler) ?? [];
    this.#events.delete(handler);
    return events;
  }

  /**
   * Compares the events of a handler with the recorded ones.
   *
   * @returns the differences as text
   */
  compare({ number }: Line, expected: readonly unknown[], events: readonly unknown[]): string[] {
    const isEmptied = EMPTIED_BEFORE[this.#file]?.includes(number) === true;
    const [got, wanted] = [events.slice(isEmptied ? -expected.length : 0), expected].map((list) =>
      JSON.stringify((this.#hasTimedActions ? byClient(list) : list).map(inOrder)),
    );
    return got === wanted ? [] : [`expected ${String(wanted)}, got ${String(got)}`];
  }

  #recordOp(op: StoreOp): void {
    if (op.type !== 'put' || op.key[0] !== HANDLER_JOB_PREFIX) return;
    const { handler, event } = JSON.parse(op.value) as HandlerJob;
    this.#events.set(handler, [...(this.#events.get(handler) ?? []), event]);
  }
}

/** Sorts events by client; the order of the events of one client stays the same. */
function byClient(events: readonly unknown[]): readonly unknown[] {
  return events.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
}

function nameOf(event: unknown): string {
  return String(at(event, 'client', 'name'));
}

/**
 * Returns the names of an event's attributes in order, and the event with its varying values replaced by their types.
 */
function inOrder(event: unknown): unknown {
  return [Object.keys(event as object), normalized(event, '')];
}
