import { describe, expect, onTestFinished, test } from 'vitest';
import { Batcher } from '../../../../daemon/backend/commit/batcher.ts';
import { Definitions } from '../../../../daemon/backend/model/config/definitions.ts';
import { decodeCheckRecord, type CheckBodies } from '../../../../daemon/backend/model/events/check-record.ts';
import { CHECK_RECORDS, checkRecordKey } from '../../../../daemon/backend/model/events/storage.ts';
import { Routing } from '../../../../daemon/backend/model/notify/routing.ts';
import type { Lease } from '../../../../daemon/backend/ports.ts';
import type { CheckEntry } from '../../../../daemon/backend/model/registry/namespace.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import type { Settlement, UncheckedResult } from '../../../../daemon/backend/results/agent-delivery.ts';
import { BaselineBudget, ConnectionBaselines } from '../../../../daemon/backend/results/baselines.ts';
import { Results } from '../../../../daemon/backend/results/commands.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';
import { ALWAYS_ADMITTED } from '../../../../daemon/backend/access/admission.ts';
import type { DeltaResult } from '../../../../shared/schemas/agent.ts';
import { checkSchema } from '../../../../shared/schemas/check.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const NOW = ManualClock.START_MS / 1000;
const NONE = { checks: new Map(), handlers: new Map() };

type SentResult = UncheckedResult | DeltaResult;

/** A backend with one agent connection, whose batches are committed on request. */
class Rig {
  readonly clock = new ManualClock();
  readonly definitions = new Definitions(NONE);
  baselines: ConnectionBaselines | undefined = new ConnectionBaselines(new BaselineBudget());
  readonly batcher: Batcher;
  readonly results: Results;
  readonly settlements: Settlement[] = [];
  readonly rejectionReasons: string[] = [];
  readonly store: FaultyStore;

  private constructor(store: FaultyStore, registry: Registry, lease: Lease) {
    this.store = store;
    const { clock, definitions } = this;
    const routing = new Routing(definitions);
    this.batcher = new Batcher({ registry, store, lease, clock, log: new RecordedLog(), routing });
    const limits = { proxyClientQuota: 10, entityLimit: { refuses: () => false } };
    this.results = new Results({ batcher: this.batcher, definitions, clock, limits });
  }

  static async open(): Promise<Rig> {
    const store = new FaultyStore(await openLevelStore(await tempDir()));
    const registry = new Registry(TABLES);
    await registry.load(store);
    const rig = new Rig(store, registry, await store.acquire('main', 30_000));
    onTestFinished(async () => {
      await rig.batcher.close();
      await store.close();
    });
    return rig;
  }

  /** Queues a frame of results for the next batch. */
  deliver(...results: readonly SentResult[]): Promise<Settlement> {
    const { baselines } = this;
    const delivery = { client: 'web-1', spool: 'one', results, baselines, cancellation: { isCancelled: false } };
    return new Promise((resolve, reject) => {
      this.results.submitFromAgent(
        'default',
        { ...delivery, admission: ALWAYS_ADMITTED },
        (_, reason) => this.rejectionReasons.push(reason),
        (error, settlement) => (error === undefined ? resolve(settlement) : reject(error)),
      );
    });
  }

  /** Commits the queued commands as one batch. */
  async commit(...waiting: readonly Promise<unknown>[]): Promise<void> {
    this.clock.advance(10);
    await Promise.allSettled(waiting);
  }

  /** Commits a frame of results in its own batch, and returns its settlement. */
  async settle(...results: readonly SentResult[]): Promise<Settlement> {
    const delivered = this.deliver(...results);
    await this.commit(delivered);
    return await delivered;
  }

  /** Queues a read of the stored record of a check for the next batch. */
  read(check = 'disk'): Promise<CheckBodies> {
    const entryOf = (registry: Registry): CheckEntry => {
      const entry = registry.namespace('default').check('web-1', check);
      if (entry === undefined) throw new Error(`nothing is known of ${check}`);
      return entry;
    };
    return this.batcher.run((transaction) => transaction.body(CHECK_RECORDS, entryOf(transaction.registry)), {
      needs: (registry) => [entryOf(registry)],
    });
  }

  /** Returns the stored record of a check. */
  async record(check = 'disk'): Promise<ReturnType<typeof decodeCheckRecord> | undefined> {
    const [text] = await this.store.getMany([checkRecordKey('default', 'web-1', check)]);
    return text === undefined ? undefined : decodeCheckRecord(text);
  }
}

const full = (id: number, about: object = {}): UncheckedResult => ({
  id,
  check: { name: 'disk', output: 'fine', status: 0, executed: NOW - 60, issued: NOW - 61, duration: 0.5, ...about },
});

const delta = (id: number, baseline: number, about: object = {}): DeltaResult => ({
  id,
  baseline,
  executed: NOW - 30,
  issued: NOW - 31,
  duration: 0.25,
  ...about,
});

const invalid = (id: number): UncheckedResult => full(id, { name: 'not a name' });
const BAD = 'name: must be word characters, dots, hyphens and colons only';

test('a delta result takes its baseline with other times and another output', async () => {
  const rig = await Rig.open();
  expect(await rig.settle(full(1, { team: 'a' }))).toMatchObject({ acceptedId: 1, newBaselines: [1] });
  expect(await rig.settle(delta(2, 1))).toMatchObject({ acceptedId: 2, newBaselines: [], resendAfter: undefined });
  const check = {
    name: 'disk',
    team: 'a',
    status: 0,
    output: 'fine',
    executed: NOW - 30,
    issued: NOW - 31,
    duration: 0.25,
  };
  expect(await rig.record()).toMatchObject({ check, lastOk: NOW - 30, history: { length: 2 } });
  await rig.settle(delta(3, 1, { output: '\ud800 "\u0001' }));
  expect((await rig.record())?.check?.output).toBe('\ud800 "\u0001');
  // Each delta result refers to the full result, not to the delta result before it.
  await rig.settle(delta(4, 1));
  expect(await rig.record()).toMatchObject({ check, history: { length: 4 } });
});

describe('a delta result whose baseline is invalid', () => {
  test.each([
    ['with an unknown baseline', delta(3, 2)],
    ['with itself as baseline', delta(3, 3)],
    ['with a rejected result as baseline', delta(3, 9)],
  ])('a delta result %s is rejected and requested in full', async (_, bad) => {
    const rig = await Rig.open();
    await rig.settle(full(1));
    expect(await rig.settle(delta(2, 1), bad, full(4, { name: 'cpu' }))).toMatchObject({
      acceptedId: 2,
      resendAfter: 2,
    });
    expect(await rig.record('cpu')).toBeUndefined();
    // Results that the agent sent before it received the resend request are ignored.
    expect(await rig.settle(full(5, { name: 'cpu' }))).toMatchObject({ acceptedId: 0 });
    expect(await rig.record('cpu')).toBeUndefined();
  });

  test('a delta result is rejected if its baseline is in the same batch', async () => {
    const rig = await Rig.open();
    const both = [rig.deliver(full(1)), rig.deliver(delta(2, 1, { output: 'later' }))];
    await rig.commit(...both);
    expect(await Promise.all(both)).toMatchObject([{ acceptedId: 1 }, { resendAfter: 1 }]);
  });

  test('a delta result with a duration beyond the limit is rejected', async () => {
    const rig = await Rig.open();
    await rig.settle(full(1));
    expect(await rig.settle(delta(2, 1, { duration: 1e300 }))).toMatchObject({ resendAfter: 1 });
  });

  test('a delta result is rejected after the definitions of the backend changed', async () => {
    const rig = await Rig.open();
    await rig.settle(full(1));
    rig.definitions.replace(NONE);
    expect(await rig.settle(delta(2, 1))).toMatchObject({ resendAfter: 1 });
  });
});

const defined = (about: object) => ({
  ...NONE,
  checks: new Map([['disk', checkSchema.parse({ command: 'check', subscribers: ['web'], interval: 60, ...about })]]),
});

describe('results that are valid baselines', () => {
  test.each<object>([
    { status: 1 },
    { type: 'metric' },
    { truncate_output: true },
    { max_output_size: 3 },
    { low_flap_threshold: 4, high_flap_threshold: 30 },
    { event_metadata: {} },
  ])('a result with %j is no baseline, because its successor depends on more than times and output', async (about) => {
    const rig = await Rig.open();
    expect(await rig.settle(full(1, about))).toMatchObject({ acceptedId: 1, newBaselines: [] });
  });

  test('a result is no baseline while its check has an open event', async () => {
    const rig = await Rig.open();
    expect(await rig.settle(full(1, { status: 1 }), full(2, { auto_resolve: false }))).toMatchObject({
      newBaselines: [],
    });
  });

  test('a result is no baseline if the definitions changed between its arrival and its commit', async () => {
    const rig = await Rig.open();
    const delivered = rig.deliver(full(1));
    rig.definitions.replace(defined({ team: 'b' }));
    await rig.commit(delivered);
    expect(await delivered).toMatchObject({ acceptedId: 1, newBaselines: [] });
    expect(await rig.settle(delta(2, 1))).toMatchObject({ resendAfter: 1 });
  });

  test('a result whose duration may come from its definition is no baseline', async () => {
    const rig = await Rig.open();
    rig.definitions.replace(defined({ duration: 7 }));
    expect(await rig.settle(full(1))).toMatchObject({ acceptedId: 1, newBaselines: [] });
  });
});

test('a read in the same batch as a delta result sees the new result', async () => {
  const rig = await Rig.open();
  await rig.settle(full(1));
  for (const result of [delta(2, 1), delta(3, 1, { output: 'other' }), delta(4, 1, { output: 'third' })]) {
    const output = result.output ?? 'fine';
    const both = [rig.deliver(result), rig.read()] as const;
    await rig.commit(...both);
    expect((await both[1]).check).toMatchObject({ output, executed: NOW - 30, duration: 0.25 });
    expect((await rig.record())?.check).toMatchObject({ output });
  }
  // The stored output is a later one, so the output of the baseline is not available to this batch.
  const both = [rig.deliver(delta(5, 1)), rig.read()] as const;
  await rig.commit(...both);
  expect(await both[0]).toMatchObject({ resendAfter: 4 });
});

test('results before a rejected delta result are stored even if their batch is applied again after an error', async () => {
  const rig = await Rig.open();
  await rig.settle(full(1));
  const delivered = [rig.deliver(full(2, { name: 'cpu' })), rig.deliver(delta(3, 7)), rig.deliver(full(4))];
  const defect = rig.batcher.run(() => {
    throw new Error('a defect');
  });
  await rig.commit(...delivered, defect);
  expect(await Promise.all(delivered)).toMatchObject([
    { acceptedId: 2 },
    { acceptedId: 2, resendAfter: 2 },
    { acceptedId: 0, resendAfter: undefined },
  ]);
  expect((await rig.record('cpu'))?.check).toMatchObject({ output: 'fine' });
});

describe('the count of rejected results when results are sent again', () => {
  test('an invalid result after a rejected delta result is counted only when the agent sends it again', async () => {
    const rig = await Rig.open();
    await rig.settle(full(1));
    expect(await rig.settle(invalid(2), delta(3, 7), invalid(4))).toMatchObject({ acceptedId: 2, resendAfter: 2 });
    expect(rig.rejectionReasons).toEqual([BAD]);
    // The connection has no baselines, as when an agent resumes.
    rig.baselines = new ConnectionBaselines(new BaselineBudget());
    await rig.settle(full(3), invalid(4));
    expect(rig.rejectionReasons).toEqual([BAD, BAD]);
    expect(rig.results.rejected.invalid).toBe(2);
  });

  test('an invalid result is counted once even if its batch is applied again after an error', async () => {
    const rig = await Rig.open();
    const proxies = Array.from({ length: 12 }, (_, at) => full(at + 3, { source: `p-${String(at)}` }));
    const delivered = rig.deliver(invalid(2), ...proxies, full(15));
    const defect = rig.batcher.run(() => {
      throw new Error('a defect');
    });
    await rig.commit(delivered, defect);
    expect(await delivered).toMatchObject({ acceptedId: 15 });
    expect(rig.results.rejected).toMatchObject({ invalid: 1, proxy_quota: 2 });
    expect(rig.rejectionReasons).toEqual([
      BAD,
      ...['p-10', 'p-11'].map((name) => expect.stringContaining(`${name} would exceed`)),
    ]);
  });

  test('an invalid result in a failed write is counted once, when the agent sends it again', async () => {
    const rig = await Rig.open();
    rig.store.refuses = () => true;
    await expect(rig.settle(full(1), invalid(2))).rejects.toMatchObject({ code: 'unavailable' });
    expect(rig.rejectionReasons).toEqual([]);
    rig.store.refuses = () => false;
    await rig.settle(full(1), invalid(2));
    expect(rig.rejectionReasons).toEqual([BAD]);
    expect(rig.results.rejected.invalid).toBe(1);
  });

  test('an invalid result that the agent sends again after its commit is not counted again', async () => {
    const rig = await Rig.open();
    await rig.settle(full(1), invalid(2));
    await rig.settle(full(1), invalid(2), invalid(3));
    expect(rig.rejectionReasons).toEqual([BAD, BAD]);
  });
});
