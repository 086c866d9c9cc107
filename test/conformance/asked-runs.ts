import type { Store, StoreOp } from '../../daemon/backend/ports.ts';
import { HANDLER_JOBS } from '../../daemon/backend/handlers/table.ts';
import type { HandlerJob } from '../../shared/schemas/handler-job.ts';
import { TroubledStore } from '../support/troubled-store.ts';
import { normalized } from './compare.ts';
import { at } from './decision.ts';
import type { Line, ScenarioName } from './scenario.ts';

const HANDLER = /^handler:(.*)$/;

/** Handlers whose mutator changes what they get, or keeps it from them; held by test/daemon/backend/handlers. */
const MUTATED: ReadonlySet<string> = new Set(['onlyout', 'mutated', 'badmut', 'nomut']);

/** Lines before which the recorder had emptied what the handler got, without writing that down. */
const EMPTIED_BEFORE: Readonly<Partial<Record<ScenarioName, readonly number[]>>> = {
  clients: [135],
  keepalive_ttl: [36],
  resolve: [14],
};

/** The runs of handlers that a backend asks for, read from its own commits. */
export class AskedRuns {
  readonly #file: ScenarioName;
  /** By handler, the events that were not compared yet. */
  readonly #events = new Map<string, unknown[]>();

  #store: TroubledStore | undefined;

  /** True if the peer did something without being asked: what it did at one time is in no order. */
  readonly #isByTheClock: boolean;

  constructor(file: ScenarioName, isByTheClock: boolean) {
    this.#file = file;
    this.#isByTheClock = isByTheClock;
  }

  /** Whether the backend waits for its store: what it does then is in no queue. */
  get isReading(): boolean {
    return (this.#store?.reading ?? 0) > 0;
  }

  around(store: Store): Store {
    const watched = new TroubledStore(store);
    this.#store = watched;
    watched.refuses = (ops) => {
      for (const op of ops) this.#note(op);
      return false;
    };
    return watched;
  }

  /** The events of one handler since the last such line; undefined: the line is about no handler. */
  take(line: Extract<Line, { readonly kind: 'observe' }>): readonly unknown[] | undefined {
    const handler = HANDLER.exec(line.what)?.[1];
    if (handler === undefined || MUTATED.has(handler)) return undefined;
    const events = this.#events.get(handler) ?? [];
    this.#events.delete(handler);
    return events;
  }

  /** @returns what is wrong with the events of a line */
  compare({ number }: Line, expected: readonly unknown[], events: readonly unknown[]): string[] {
    const isEmptied = EMPTIED_BEFORE[this.#file]?.includes(number) === true;
    const [got, wanted] = [events.slice(isEmptied ? -expected.length : 0), expected].map((list) =>
      JSON.stringify((this.#isByTheClock ? byClient(list) : list).map(inOrder)),
    );
    return got === wanted ? [] : [`expected ${String(wanted)}, got ${String(got)}`];
  }

  #note(op: StoreOp): void {
    if (op.type !== 'put' || op.key[0] !== HANDLER_JOBS) return;
    const { handler, event } = JSON.parse(op.value) as HandlerJob;
    this.#events.set(handler, [...(this.#events.get(handler) ?? []), event]);
  }
}

/** The events of each client in their order. */
function byClient(events: readonly unknown[]): readonly unknown[] {
  return events.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
}

function nameOf(event: unknown): string {
  return String(at(event, 'client', 'name'));
}

/** With what changes from run to run as its type, and the attributes of the event itself in their order. */
function inOrder(event: unknown): unknown {
  return [Object.keys(event as object), normalized(event, '')];
}
