import { onTestFinished } from 'vitest';
import { Definitions } from '../../daemon/backend/model/config/definitions.ts';
import { DeadLetters } from '../../daemon/backend/notify/delivery/dead-letters.ts';
import { HandlerQueues } from '../../daemon/backend/notify/delivery/handler-queues.ts';
import { DeadLetterIndex } from '../../daemon/backend/notify/delivery/dead-letter-index.ts';
import { LastDeliveries } from '../../daemon/backend/notify/delivery/last-deliveries.ts';
import type { DeliveryOutcome } from '../../daemon/backend/notify/delivery/outcome.ts';
import { JobRunner } from '../../daemon/backend/notify/delivery/run-jobs.ts';
import { Batcher } from '../../daemon/backend/commit/batcher.ts';
import { JobWriter } from '../../daemon/backend/notify/delivery/job-writer.ts';
import type { Store } from '../../daemon/backend/ports.ts';
import { Registry } from '../../daemon/backend/model/registry/registry.ts';
import { DEAD_LETTER_PREFIX, HANDLER_JOB_PREFIX } from '../../daemon/backend/model/notify/delivery/storage.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import type { HandledEvent, HandlerJob } from '../../shared/schemas/handler-job.ts';
import { handlerSchema, type HandlerDefinition } from '../../shared/schemas/handler.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';
import { FaultyStore } from './faulty-store.ts';
import { TABLES } from '../../daemon/backend/model/tables/tables.ts';
import { enqueueJob } from '../../daemon/backend/model/notify/delivery/mutations.ts';

/** One attempt of a handler to deliver a notification; it ends when the test calls `end`. */
export interface HeldRun {
  readonly job: HandlerJob;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly end: (outcome: DeliveryOutcome) => void;
}

/** The job runner on a real store; the test ends each delivery. */
export interface HandlerRig {
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly store: FaultyStore;
  readonly batcher: Batcher;
  readonly runner: JobRunner;
  readonly lanes: HandlerQueues;
  readonly deadLetters: DeadLetters;
  readonly last: LastDeliveries;
  readonly definitions: Definitions;
  /** All deliveries that were started, in order. */
  readonly startedRuns: readonly HeldRun[];
  /** Commits one notification of `handler` for each pair of client and check, in one batch. */
  ask(handler: string, ...pairs: readonly (readonly [client: string, check: string])[]): Promise<void>;
  /** Waits until the delivery with the index `at` has started, and returns it. */
  run(at: number): Promise<HeldRun>;
  /** Returns the ids of the stored jobs and of the dead letters. */
  stored(): Promise<{ readonly jobs: readonly number[]; readonly dead: readonly number[] }>;
  /** Stops everything, either in order or as a kill does: without further writes to the store. */
  stop(how?: 'kill'): Promise<void>;
}

/** Returns a pipe handler whose command does nothing, with overrides. */
export function aHandler(attributes: object = {}): HandlerDefinition {
  return handlerSchema.parse({ type: 'pipe', command: 'true', ...attributes });
}

function anEvent(client: string, check: string): HandledEvent {
  return {
    id: `${client}/${check}`,
    client: {
      name: client,
      address: '192.0.2.1',
      subscriptions: [],
      timestamp: 0,
      version: '1.9.0',
      secret: 'hunter2',
    },
    check: {
      name: check,
      output: 'out',
      status: 2,
      executed: 0,
      issued: 0,
      history: ['2'],
      total_state_change: 0,
    },
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: null,
    action: 'create',
    timestamp: 0,
    silenced: false,
    silenced_by: [],
  };
}

export async function openHandlerRig(options: {
  readonly handlers: Readonly<Record<string, HandlerDefinition>>;
  /** Directory whose store an earlier rig has written; default: a new one. */
  readonly dir?: string;
  readonly clock?: ManualClock;
  readonly deadLettersMax?: number;
  /** Maximum number of changes that wait for their commit. */
  readonly queueLimit?: number;
}): Promise<HandlerRig> {
  const store = new FaultyStore(await openLevelStore(options.dir ?? (await tempDir())));
  const registry = new Registry(TABLES);
  await registry.load(store);
  const clock = options.clock ?? new ManualClock();
  const log = new RecordedLog();
  const definitions = new Definitions({ checks: new Map(), handlers: new Map(Object.entries(options.handlers)) });
  const lease = await store.acquire('main', 30_000);
  const batcher = new Batcher(
    { registry, store, lease, clock, log },
    {
      batchLimit: 1,
      ...(options.queueLimit === undefined ? {} : { queueLimit: options.queueLimit }),
    },
  );
  const jobs = new JobWriter({ batcher, clock, log });
  const letters = new DeadLetterIndex(options.deadLettersMax);
  const lanes = new HandlerQueues({ definitions, deadLetterIndex: letters, clock });
  const deadLetters = new DeadLetters({ deadLetterIndex: letters, jobWriter: jobs, clock, log });
  const last = new LastDeliveries();
  const startedRuns: HeldRun[] = [];
  const waiting = new Map<number, (run: HeldRun) => void>();
  const deliver = (
    job: HandlerJob,
    _handler: unknown,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> =>
    new Promise((resolve) => {
      const run: HeldRun = { job, attempt, signal, end: resolve };
      waiting.get(startedRuns.length)?.(run);
      startedRuns.push(run);
    });
  const runner = await JobRunner.start({
    definitions,
    handlerQueues: lanes,
    delivery: { deliver },
    jobWriter: jobs,
    deadLetters,
    lastDeliveries: last,
    commits: batcher.commits,
    registry,
    store,
    clock,
    log,
    random: () => 0.5,
  });
  let isStopped = false;
  const stop = async (how?: 'kill'): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    if (how === 'kill') store.refuses = () => true;
    else await runner[Symbol.asyncDispose]();
    jobs[Symbol.dispose]();
    await batcher.close();
    await store.close();
  };
  onTestFinished(() => stop('kill'));
  return {
    clock,
    log,
    store,
    batcher,
    runner,
    lanes,
    deadLetters,
    last,
    definitions,
    startedRuns,
    stop,
    async ask(handler, ...pairs) {
      await batcher.run((transaction) => {
        const namespace = transaction.registry.namespace(DEFAULT_NAMESPACE);
        for (const [client, check] of pairs) enqueueJob(transaction, namespace, handler, anEvent(client, check));
      });
    },
    async run(at) {
      return startedRuns[at] ?? (await new Promise((resolve) => waiting.set(at, resolve)));
    },
    async stored() {
      return { jobs: await idsOf(store, HANDLER_JOB_PREFIX), dead: await idsOf(store, DEAD_LETTER_PREFIX) };
    },
  };
}

async function idsOf(store: Store, prefix: string): Promise<number[]> {
  const ids: number[] = [];
  for await (const [key] of store.scan([prefix])) ids.push(Number(key.at(-1)));
  return ids;
}
