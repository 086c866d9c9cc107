import { Definitions } from '../../daemon/backend/model/config/definitions.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { Checks } from '../../daemon/backend/checks/commands.ts';
import { Clients } from '../../daemon/backend/clients/commands.ts';
import { EntityLimit } from '../../daemon/backend/model/clients/entity-limit.ts';
import { Events } from '../../daemon/backend/events/commands.ts';
import { logVerdicts } from '../../daemon/backend/notify/log-verdicts.ts';
import { Results } from '../../daemon/backend/results/commands.ts';
import { SilencedEntries } from '../../daemon/backend/silences/commands.ts';
import { StaleResults } from '../../daemon/backend/results/write-stale.ts';
import type { CheckEntry } from '../../daemon/backend/model/registry/namespace.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { HANDLER_JOB_PREFIX } from '../../daemon/backend/model/notify/delivery/storage.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { checkSchema } from '../../shared/schemas/check.ts';
import { filterSchema } from '../../shared/schemas/filter.ts';
import type { HandlerJob } from '../../shared/schemas/handler-job.ts';
import { inhibitionSchema } from '../../shared/schemas/inhibition.ts';
import { handlerSchema } from '../../shared/schemas/handler.ts';
import { onCallScheduleSchema, personSchema } from '../../shared/schemas/on-call.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';
import { FaultyStore } from './faulty-store.ts';
import { Routing } from '../../daemon/backend/model/notify/routing.ts';
import type { OverrideSpan } from '../../shared/domain/on-call/on-call-at.ts';
import type { ResolveWhileSilencedSetting } from '../../shared/domain/notify/notification-context.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';

type Section = Readonly<Record<string, object>>;

/** The sections of a configuration that decide which handlers are notified. */
export interface HandlingSections {
  readonly checks?: Section;
  readonly handlers?: Section;
  readonly filters?: Section;
  readonly inhibitions?: Section;
  readonly people?: Section;
  readonly schedules?: Section;
}

export interface HandlingOptions {
  /** Directory whose store an earlier rig has written; default: a new one. */
  readonly dir?: string;
  readonly clock?: ManualClock;
  /** Value of the setting `renotify-after-silence`; default: true. */
  readonly renotifiesAfterSilence?: boolean;
  /** Value of the setting `resolve-while-silenced`; default: `defer`. */
  readonly resolveWhileSilenced?: ResolveWhileSilencedSetting;
  /** Names of the handlers whose queue is full. The test may change the set later. */
  readonly full?: ReadonlySet<string>;
}

/**
 * The commit pipeline on a real store, up to the request of notifications. No handler runs, so all requested jobs stay.
 */
export class HandlingRig implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly log = new RecordedLog();
  readonly registry = new Registry(TABLES);
  readonly store: FaultyStore;
  readonly definitions: Definitions;
  readonly results: Results;
  readonly clients: Clients;
  readonly events: Events;
  readonly checks: Checks;
  readonly silenced: SilencedEntries;
  readonly stale: StaleResults;
  readonly batcher: Batcher;
  readonly routing: Routing;
  /** The overrides of all schedules. A test replaces the list. */
  overrides: readonly OverrideSpan[] = [];
  /** Jobs that commits have requested since the last call of `takeJobs`. */
  #jobs: HandlerJob[] = [];

  static async open(sections: HandlingSections = {}, options: HandlingOptions = {}): Promise<HandlingRig> {
    const store = new FaultyStore(await openLevelStore(options.dir ?? (await tempDir())));
    const lease = await store.acquire('main', 30_000);
    const rig = new HandlingRig(store, lease, sections, options);
    await rig.registry.load(store);
    // The job runner, which is missing here, would reserve the ids of stored jobs at its start.
    for await (const [[, id]] of store.scan([HANDLER_JOB_PREFIX])) rig.registry.noteJobId(Number(id));
    return rig;
  }

  private constructor(
    store: FaultyStore,
    lease: Awaited<ReturnType<FaultyStore['acquire']>>,
    sections: HandlingSections,
    {
      clock = new ManualClock(),
      renotifiesAfterSilence = true,
      resolveWhileSilenced = 'defer',
      full = new Set(),
    }: HandlingOptions,
  ) {
    this.clock = clock;
    const { log, registry } = this;
    this.store = store;
    const definitions = (this.definitions = new Definitions(parsed(sections)));
    definitions.onCall.useInputs({ overridesOf: () => this.overrides, now: () => clock.now() });
    const routing = (this.routing = new Routing(definitions, () => ({ renotifiesAfterSilence, resolveWhileSilenced }), {
      isFull: (_namespace, handler) => full.has(handler),
    }));
    const batcher = new Batcher({ registry, store, lease, clock, log, routing }, { batchLimit: 1 });
    this.batcher = batcher;
    const entityLimit = new EntityLimit(this.registry, () => 'unlimited');
    this.results = new Results({ batcher, definitions, clock, limits: { proxyClientQuota: 1000, entityLimit } });
    this.clients = new Clients({ batcher, entityLimit, quarantineSeconds: 0 });
    this.events = new Events(batcher);
    this.checks = new Checks({ batcher, registry });
    this.silenced = new SilencedEntries(batcher);
    this.stale = new StaleResults(batcher);
    batcher.commits.onCommit(({ jobs }) => this.#jobs.push(...jobs));
    logVerdicts({ commits: batcher.commits, clock, log });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.batcher.close();
    await this.store.close();
  }

  /** Replaces the definitions, as a reload of the configuration does. */
  reload(sections: HandlingSections): void {
    this.definitions.replace(parsed(sections));
  }

  /** Submits a result of the client `web-1`, by default for the check `disk`. */
  async report(status: number, attributes: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.results.submit(DEFAULT_NAMESPACE, [
      { name: 'disk', output: `status ${String(status)}`, source: 'web-1', status, ...attributes },
    ]);
  }

  entry(client = 'web-1', check = 'disk'): CheckEntry | undefined {
    return this.registry.namespace(DEFAULT_NAMESPACE).check(client, check);
  }

  takeJobs(): HandlerJob[] {
    const jobs = this.#jobs;
    this.#jobs = [];
    return jobs;
  }

  /** Returns handler and action of each job that commits have requested since the last call. */
  takeRuns(): string[] {
    return this.takeJobs().map(({ handler, event }) => `${handler} ${event.action}`);
  }
}

function parsed({
  checks = {},
  handlers = {},
  filters = {},
  inhibitions = {},
  people = {},
  schedules = {},
}: HandlingSections) {
  return {
    checks: new Map(Object.entries(checks).map(([name, check]) => [name, checkSchema.parse(check)])),
    handlers: new Map(Object.entries(handlers).map(([name, handler]) => [name, handlerSchema.parse(handler)])),
    inhibitions: new Map(
      Object.entries(inhibitions).map(([name, inhibition]) => [name, inhibitionSchema.parse(inhibition)]),
    ),
    people: new Map(Object.entries(people).map(([name, person]) => [name, personSchema.parse(person)])),
    schedules: new Map(
      Object.entries(schedules).map(([name, schedule]) => [name, onCallScheduleSchema.parse(schedule)]),
    ),
    filters: new Map(Object.entries(filters).map(([name, filter]) => [name, filterSchema.parse(filter)])),
  };
}
