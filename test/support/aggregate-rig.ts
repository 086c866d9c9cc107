import { Definitions } from '../../daemon/backend/model/config/definitions.ts';
import { Aggregates } from '../../daemon/backend/aggregates/commands.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { Clients } from '../../daemon/backend/clients/commands.ts';
import { EntityLimit } from '../../daemon/backend/model/clients/entity-limit.ts';
import { Results } from '../../daemon/backend/results/commands.ts';
import { SilencedEntries } from '../../daemon/backend/silences/commands.ts';
import {
  checksOf,
  checksOfClient,
  clientsOf,
  freshSummaryOf,
  summaryOf,
} from '../../daemon/backend/aggregates/queries.ts';
import type { Lease, Store } from '../../daemon/backend/ports.ts';
import type { CheckEntry, Namespace } from '../../daemon/backend/model/registry/namespace.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { isSilenced } from '../../shared/domain/silencing.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { MonError } from '../../shared/errors.ts';
import type { AggregateSummary } from '../../shared/schemas/aggregate.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';

const LINGER_MS = 2;

export interface SilenceTarget {
  readonly subscription?: string;
  readonly check?: string;
}

/** A change that affects aggregates, as a step of a random test. */
export type Step =
  | {
      readonly do: 'report';
      readonly client: string;
      readonly check: string;
      readonly status: number;
      readonly ageSeconds: number;
      /** True if the event stays open after an OK result (`auto_resolve: false`). */
      readonly isKept: boolean;
      readonly names: { readonly aggregate?: string | true; readonly aggregates?: string[] };
    }
  | { readonly do: 'delete result'; readonly client: string; readonly check: string }
  | { readonly do: 'delete client'; readonly client: string }
  | { readonly do: 'delete aggregate'; readonly aggregate: string }
  | { readonly do: 'subscribe'; readonly client: string; readonly subscriptions: readonly string[] }
  | { readonly do: 'silence' | 'clear'; readonly target: SilenceTarget };

/** The commit pipeline of a backend on a real store, with a simple model of which checks belong to which aggregates. */
export class AggregateRig implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly #registry = new Registry(TABLES);
  readonly #parts: AsyncDisposableStack;
  readonly #store: Store;
  readonly #results: Results;
  readonly #clients: Clients;
  readonly #silenced: SilencedEntries;
  readonly #aggregates: Aggregates;
  /** Names of the expected aggregates of each check, by `client/check`. */
  readonly #expected = new Map<string, ReadonlySet<string>>();

  static async open(): Promise<AggregateRig> {
    const store = await openLevelStore(await tempDir());
    const rig = new AggregateRig(store, await store.acquire('main', 30_000));
    await rig.restart();
    return rig;
  }

  private constructor(store: Store, lease: Lease) {
    this.#store = store;
    const { clock } = this;
    const definitions = new Definitions({ checks: new Map(), handlers: new Map() });
    const batcher = new Batcher(
      { registry: this.#registry, store, lease, clock, log: new RecordedLog() },
      { lingerMs: LINGER_MS },
    );
    const entityLimit = new EntityLimit(this.#registry, () => 'unlimited');
    this.#results = new Results({ batcher, definitions, clock, limits: { proxyClientQuota: 1000, entityLimit } });
    this.#clients = new Clients({ batcher, entityLimit, quarantineSeconds: 0 });
    this.#silenced = new SilencedEntries(batcher);
    this.#aggregates = new Aggregates(batcher);
    this.#parts = new AsyncDisposableStack();
    this.#parts.defer(() => store.close());
    this.#parts.defer(() => batcher.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }

  get namespace(): Namespace {
    return this.#registry.namespace(DEFAULT_NAMESPACE);
  }

  /** Loads the registry from the store again, as after a start of the backend or a failed write. */
  restart(): Promise<void> {
    return this.#registry.load(this.#store);
  }

  /** Applies these steps to the backend in one batch, and to the model. */
  async play(steps: readonly Step[]): Promise<void> {
    const settled = Promise.allSettled(steps.map((step) => this.#send(step)));
    this.clock.advance(LINGER_MS);
    for (const outcome of await settled) {
      // A deletion of an object that does not exist is rejected, which is expected.
      if (outcome.status === 'rejected' && !isNotFound(outcome.reason)) throw outcome.reason;
    }
    for (const step of steps) this.#expect(step);
  }

  #send(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'report': {
        const { client, check, status, ageSeconds, isKept, names } = step;
        const executed = Math.floor(this.clock.now() / 1000) - ageSeconds;
        const result = { name: check, source: client, status, output: 'o', executed, auto_resolve: !isKept, ...names };
        return this.#results.submit(DEFAULT_NAMESPACE, [result]);
      }
      case 'delete result':
        return this.#results.remove(DEFAULT_NAMESPACE, step.client, step.check);
      case 'delete client':
        return this.#clients.remove(DEFAULT_NAMESPACE, step.client, { expireSeconds: undefined });
      case 'delete aggregate':
        return this.#aggregates.remove(DEFAULT_NAMESPACE, step.aggregate);
      case 'subscribe':
        return this.#clients.put(DEFAULT_NAMESPACE, {
          name: step.client,
          address: 'a',
          subscriptions: [...step.subscriptions],
        });
      case 'silence':
        return this.#silenced.create(DEFAULT_NAMESPACE, step.target);
      case 'clear':
        return this.#silenced.clear(DEFAULT_NAMESPACE, step.target);
    }
  }

  #expect(step: Step): void {
    switch (step.do) {
      case 'report': {
        const { aggregate, aggregates } = step.names;
        const named = aggregates ?? (aggregate === true ? [step.check] : aggregate === undefined ? [] : [aggregate]);
        this.#expected.set(`${step.client}/${step.check}`, new Set(named));
        break;
      }
      case 'delete result':
        this.#expected.delete(`${step.client}/${step.check}`);
        break;
      case 'delete client':
        for (const key of this.#expected.keys()) if (key.startsWith(`${step.client}/`)) this.#expected.delete(key);
        break;
      case 'delete aggregate':
        for (const [key, names] of this.#expected) {
          this.#expected.set(key, new Set([...names].filter((name) => name !== step.aggregate)));
        }
        break;
      case 'subscribe':
      case 'silence':
      case 'clear':
        break;
    }
  }

  /** Returns the state of each aggregate from the backend's indexes and counters. */
  async responses(maxAge: number | undefined): Promise<object[]> {
    const { namespace } = this;
    const nowMs = this.clock.now();
    return Promise.all(
      namespace.aggregates.sorted().map(async (aggregate) => ({
        name: aggregate.name,
        summary:
          maxAge === undefined
            ? summaryOf(namespace, aggregate, nowMs)
            : await freshSummaryOf(namespace, aggregate, maxAge, nowMs),
        clients: (await clientsOf(namespace, aggregate)).map((client) => checksOfClient(aggregate, client)),
        checks: await checksOf(namespace, aggregate),
      })),
    );
  }

  /** Returns the state of each aggregate, computed from the memberships that the model expects. */
  computedStates(maxAge: number | undefined): object[] {
    const names = new Set([...this.#expected.values()].flatMap((some) => Array.from(some)));
    return [...names].toSorted().map((name) => {
      const members = [...this.#expected]
        .filter(([, aggregates]) => aggregates.has(name))
        .map(([key]) => this.#entry(key))
        .toSorted((a, b) => (`${a.client.name}/${a.name}` < `${b.client.name}/${b.name}` ? -1 : 1));
      const clients = Object.groupBy(members, ({ client }) => client.name);
      const checks = Object.groupBy(members, (member) => member.name);
      return {
        name,
        summary: this.#count(members, maxAge),
        clients: Object.entries(clients)
          .map(([client, some]) => ({ name: client, checks: (some ?? []).map((member) => member.name) }))
          .toSorted(byName),
        checks: Object.entries(checks)
          .map(([check, some]) => ({ name: check, clients: (some ?? []).map(({ client }) => client.name) }))
          .toSorted(byName),
      };
    });
  }

  #count(members: readonly CheckEntry[], maxAge: number | undefined): AggregateSummary {
    const oldest = maxAge === undefined ? -Infinity : Math.floor(this.clock.now() / 1000) - maxAge;
    const fresh = members.filter(({ executed }) => executed >= oldest);
    const having = (is: (member: CheckEntry) => boolean): number => fresh.filter(is).length;
    return {
      clients: new Set(members.map(({ client }) => client)).size,
      checks: new Set(members.map(({ name }) => name)).size,
      results: {
        ok: having(({ status }) => severityOf(status ?? NaN) === 'ok'),
        warning: having(({ status }) => severityOf(status ?? NaN) === 'warning'),
        critical: having(({ status }) => severityOf(status ?? NaN) === 'critical'),
        unknown: having(({ status }) => severityOf(status ?? NaN) === 'unknown'),
        total: fresh.length,
        stale: members.length - fresh.length,
        silenced: having(
          ({ client, name, state }) =>
            state.event !== undefined &&
            isSilenced(this.namespace.silenced, client.subscriptions, name, this.clock.now()),
        ),
        down: having(({ client }) => client.checks.get('keepalive')?.state.event !== undefined),
      },
    };
  }

  #entry(key: string): CheckEntry {
    const [client = '', check = ''] = key.split('/');
    const entry = this.namespace.check(client, check);
    if (entry === undefined) throw new Error(`${key} is not in the registry`);
    return entry;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof MonError && error.code === 'not_found';
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
