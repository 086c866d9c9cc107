import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SilenceEndNotifier } from '../../../../daemon/backend/notify/silence-ends/commands.ts';
import { Aggregates } from '../../../../daemon/backend/aggregates/commands.ts';
import { HANDLER_JOB_PREFIX } from '../../../../daemon/backend/model/notify/delivery/storage.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openRig, MAIL, PIPE, settle, silence, takeRuns } from '../../../support/silence-rig.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const NOW = ManualClock.START_MS / 1000;
const ENDED = ['default create silence ended'];

describe('the notification at the end of a silence', () => {
  const ends: readonly { name: string; silenceAttributes?: object; endSilence: (rig: HandlingRig) => unknown }[] = [
    { name: 'it expires', silenceAttributes: { expire: 60 }, endSilence: ({ clock }) => clock.advance(60_000) },
    { name: 'it is cleared', endSilence: (rig) => rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' }) },
    { name: 'a pending one replaces it', endSilence: (rig) => silence(rig, { begin: NOW + 3600 }) },
    { name: 'an expired one replaces it', endSilence: (rig) => silence(rig, { expire: 0 }) },
    {
      name: 'the event of another client resolves',
      silenceAttributes: { expire_on_resolve: true },
      endSilence: async (rig) => {
        await rig.report(2, { source: 'web-2' });
        await rig.report(0, { source: 'web-2', handlers: [] });
      },
    },
    {
      name: 'the client leaves its subscription',
      silenceAttributes: { check: null, subscription: 'web' },
      endSilence: (rig) => rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: 'a' }),
    },
  ];

  test.each(ends)(
    'an event that was suppressed is notified when its silence ends: $name',
    async ({ silenceAttributes: attributes = {}, endSilence }) => {
      const rig = await openRig();
      await rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: 'a', subscriptions: ['web'] });
      await silence(rig, attributes);
      await rig.report(2);
      await rig.report(2);
      expect(await takeRuns(rig)).toEqual([]);
      await endSilence(rig);
      expect(await takeRuns(rig)).toEqual(ENDED);
      rig.clock.advance(3_600_000);
      expect(await takeRuns(rig)).toEqual([]);
      expect(rig.entry()?.state.event?.notifications.pending).toBeUndefined();
    },
  );

  test('the notification after a silence contains the stored event, with silence_ended as its last attribute', async () => {
    const rig = await openRig();
    await silence(rig, { expire: 60 });
    await rig.report(2, { output: 'full', team: 'storage' });
    rig.clock.advance(60_000);
    await settle(rig);
    const [job, ...others] = rig.takeJobs();
    expect(others).toEqual([]);
    expect(job).toMatchObject({ handler: 'default', client: 'web-1', check: 'disk', queued_at: rig.clock.now() });
    expect(job?.event).toMatchObject({
      id: rig.entry()?.state.event?.id,
      check: { output: 'full', team: 'storage', status: 2, history: ['2'] },
      occurrences: 1,
      timestamp: NOW,
    });
    expect(Object.entries(job?.event ?? {}).slice(-3)).toEqual([
      ['silenced', false],
      ['silenced_by', []],
      ['silence_ended', true],
    ]);
  });

  test('the notification after a silence contains the failure even if a later OK result left the event open', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2, { auto_resolve: false, output: 'full' });
    await rig.report(0, { auto_resolve: false, output: 'fine' });
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    await settle(rig);
    expect(rig.takeJobs()).toMatchObject([{ event: { check: { output: 'full', status: 2, history: ['2'] } } }]);
  });

  test('a flapping event is notified after its silence only by handlers with handle_flapping', async () => {
    const rig = await openRig({ handlers: { calm: PIPE, eager: { ...PIPE, handle_flapping: true } } });
    const flaps = { handlers: ['calm', 'eager'], low_flap_threshold: 5, high_flap_threshold: 20 };
    await silence(rig);
    for (let at = 0; at < 21; at++) await rig.report(at % 2 === 0 ? 0 : 2, flaps);
    expect(rig.entry()?.state.event?.action).toBe('flapping');
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual(['eager flapping silence ended']);
  });

  test('a result that arrives when a silence expires does not repeat the pending notification', async () => {
    const rig = await HandlingRig.open({
      handlers: { default: { ...PIPE, filter: 'occurrences' }, audit: { ...PIPE, handle_silenced: true } },
    });
    onTestFinished(() => rig[Symbol.asyncDispose]());
    const attributes = { handlers: ['default', 'audit'], interval: 60, refresh: 1800 };
    await silence(rig, { expire: 60 });
    await rig.report(2, attributes);
    expect(await takeRuns(rig)).toEqual(['audit create']);
    rig.clock.advance(60_000);
    await rig.report(2, attributes);
    expect(await takeRuns(rig)).toEqual([...ENDED, 'audit create']);
    await new SilenceEndNotifier(rig.batcher).notify([[DEFAULT_NAMESPACE, 'web-1', 'disk']]);
    expect(await takeRuns(rig)).toEqual([]);
  });
});

describe('the handlers at the end of a silence', () => {
  test('a handler with handle_silenced is not notified again when a silence ends', async () => {
    const rig = await openRig({ handlers: { mail: PIPE, audit: { ...PIPE, handle_silenced: true } } });
    await silence(rig);
    await rig.report(2, { handlers: ['mail', 'audit'] });
    expect(await takeRuns(rig)).toEqual(['audit create']);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual(['mail create silence ended']);
  });

  test('a handler with the filter occurrences is notified when a silence ends, whatever the refresh is', async () => {
    const rig = await openRig({ handlers: { default: { ...PIPE, filter: 'occurrences' } } });
    const attributes = { occurrences: 2, interval: 60, refresh: 1800 };
    await silence(rig);
    for (let count = 0; count < 5; count++) await rig.report(2, attributes);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual(ENDED);
    await rig.report(2, attributes);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('an event without enough occurrences is not notified when its silence ends, but later as usual', async () => {
    const rig = await openRig({ handlers: { default: { ...PIPE, filter: 'occurrences' } } });
    const attributes = { occurrences: 2 };
    await silence(rig);
    for (const status of [1, 1, 2]) await rig.report(status, attributes);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual([]);
    await rig.report(2, attributes);
    expect(await takeRuns(rig)).toEqual(['default create']);
  });

  test('a filter other than occurrences can suppress the notification after a silence, which is logged', async () => {
    const staging = { attributes: { client: { environment: 'staging' } } };
    const rig = await openRig({ handlers: { default: PIPE }, filters: { staging } });
    await silence(rig);
    await rig.report(2);
    rig.reload({ handlers: { default: { ...PIPE, filter: 'staging' } }, filters: { staging } });
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual([]);
    expect(rig.log.records.at(-1)).toMatchObject({ message: 'event was filtered', fields: { check: 'disk' } });
  });

  test('the notification after a silence goes to the handlers that are configured when the silence ends', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2);
    rig.reload({ handlers: { default: { type: 'set', handlers: ['chat'] }, chat: PIPE } });
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual(['chat create silence ended']);
  });
});

describe('events that are not notified when a silence ends', () => {
  test('an event that two silences cover is notified when the later silence ends', async () => {
    const rig = await openRig();
    await silence(rig, { expire: 60 });
    await silence(rig, { check: null, subscription: 'client:web-1', expire: 120 });
    await rig.report(2);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual(ENDED);
  });

  test('an event is not notified when a silence ends while another silence covers it', async () => {
    const rig = await openRig();
    await silence(rig, { expire: 60 });
    await rig.report(2);
    await silence(rig, { expire: 3600 });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('an event that resolved during its silence is not notified when the silence ends', async () => {
    const rig = await openRig();
    await silence(rig, { expire: 60 });
    await rig.report(2);
    await rig.report(0);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('a resolution that ends an expire_on_resolve silence is notified, but not the problem before', async () => {
    const rig = await openRig();
    await silence(rig, { expire_on_resolve: true });
    await rig.report(2);
    await rig.report(0);
    expect(await takeRuns(rig)).toEqual(['default resolve']);
  });

  test('an OK result that arrives when a silence ends notifies only the resolution', async () => {
    const rig = await HandlingRig.open(MAIL);
    onTestFinished(() => rig[Symbol.asyncDispose]());
    await silence(rig, { expire: 60 });
    await rig.report(2);
    rig.clock.advance(60_000);
    await rig.report(0);
    expect(await takeRuns(rig)).toEqual(['default resolve']);
  });

  test('an event that was notified before its silence began is not notified again when the silence ends', async () => {
    const rig = await openRig();
    await silence(rig, { begin: NOW + 60, expire: 60 });
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual(['default create']);
    rig.clock.advance(120_000);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('an event that opened at the begin of its silence is notified when the silence ends', async () => {
    const rig = await openRig();
    await silence(rig, { begin: NOW + 60, expire: 60 });
    rig.clock.advance(60_000);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual(ENDED);
  });

  test('an event whose last result has handle: false is not notified when its silence ends', async () => {
    const rig = await openRig({ handlers: { a: PIPE, b: PIPE } });
    await silence(rig);
    await rig.report(2, { handlers: ['a', 'b'] });
    await rig.report(2, { handlers: ['a', 'b'], handle: false });
    const before = rig.log.records.length;
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual([]);
    expect(rig.log.records.slice(before).map(({ message }) => message)).toEqual(['event handling disabled for event']);
  });

  test('handle-when-silence-ends: false drops the suppressed notifications when a silence ends', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir, renotifiesAfterSilence: false });
    await silence(rig, { expire: 60 });
    await rig.report(2);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    expect(rig.entry()?.state.event?.notifications.pending).toBeUndefined();
    await rig.stop();
    const after = await openRig(MAIL, { dir, clock: rig.clock });
    expect(await takeRuns(after)).toEqual([]);
    await after.report(2);
    expect(await takeRuns(after)).toEqual(['default create']);
  });
});

describe('restarts and failures', () => {
  test('a silence that expired while the backend was stopped causes its notifications once after the restart', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await silence(rig, { expire: 60 });
    await rig.report(2, { output: 'full' });
    await rig.stop();
    rig.clock.advance(3_600_000);
    const again = await openRig(MAIL, { dir, clock: rig.clock });
    expect(await takeRuns(again)).toEqual(ENDED);
    await again.stop();
    expect(await takeRunsAfterStart(dir, rig.clock)).toEqual([]);
  });

  test('a silence that lasts across a restart suppresses notifications until it expires', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await silence(rig, { expire: 3600 });
    await rig.report(2);
    await rig.stop();
    rig.clock.advance(1_800_000);
    const again = await openRig(MAIL, { dir, clock: rig.clock });
    expect(await takeRuns(again)).toEqual([]);
    again.clock.advance(1_800_000);
    expect(await takeRuns(again)).toEqual(ENDED);
  });

  test('the notification after a silence is retried if the store fails, and is sent once', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2);
    let refusals = 0;
    rig.store.refuses = (ops) => ops.some(({ key }) => key[0] === HANDLER_JOB_PREFIX) && refusals++ < 2;
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual([]);
    expect(rig.entry()?.state.event?.notifications.pending?.silence).toBe(true);
    await vi.waitFor(async () => {
      rig.clock.advance(1000);
      expect(await takeRuns(rig)).toEqual(ENDED);
    });
    expect(refusals).toBe(3);
    expect(rig.log.messages('warn')).toEqual([
      'events could not be handled at the end of their silence, retrying soon',
      'events could not be handled at the end of their silence, retrying soon',
    ]);
  });

  test('a notification after a silence does not add the event to an aggregate that was deleted', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2, { aggregate: 'fleet' });
    await new Aggregates(rig.batcher).remove(DEFAULT_NAMESPACE, 'fleet');
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeRuns(rig)).toEqual(ENDED);
    await rig.registry.load(rig.store);
    expect(rig.registry.namespace(DEFAULT_NAMESPACE).aggregates.get('fleet')).toBeUndefined();
  });

  test.each([1, 2, 3])(
    'a backend killed after %i writes of notifications after a silence sends each notification once',
    async (survived) => {
      const dir = await tempDir();
      const rig = await openRig(MAIL, { dir });
      await silence(rig, { check: null, subscription: 'client:web-1' });
      await failAll(rig, 250);
      let writes = 0;
      // The end of the silence is the first write; writes after the number that survives are rejected.
      rig.store.refuses = () => ++writes > survived;
      await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
      await vi.waitFor(() => expect(writes).toBeGreaterThan(survived));
      expect(await storedChecks(rig)).toHaveLength(100 * (survived - 1));
      await rig.stop();
      const again = await openRig(MAIL, { dir, clock: rig.clock });
      await vi.waitFor(async () => expect(await storedChecks(again)).toHaveLength(250));
      await settle(again);
      const checks = await storedChecks(again);
      expect(checks).toHaveLength(250);
      expect(new Set(checks).size).toBe(250);
    },
  );

  test('each of many events is notified once after a silence, even if the backend restarts in between', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await silence(rig, { check: null, subscription: 'client:web-1' });
    await failAll(rig, 250);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
    await rig.stop();
    const before = rig.takeJobs();
    expect(before).toHaveLength(100);
    const again = await openRig(MAIL, { dir, clock: rig.clock });
    const jobs = [...before];
    await vi.waitFor(() => {
      jobs.push(...again.takeJobs());
      expect(jobs).toHaveLength(250);
    });
    await settle(again);
    expect(again.takeJobs()).toEqual([]);
    expect(new Set(jobs.map(({ check }) => check)).size).toBe(250);
  });
});

test('10,000 notifications at the end of a silence do not block the processing of results', async () => {
  const count = 10_000;
  const rig = await openRig();
  await silence(rig, { check: null, subscription: 'client:web-1' });
  await failAll(rig, count);
  expect(rig.takeJobs()).toEqual([]);
  await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
  await rig.report(2, { source: 'web-2' });
  const jobs = rig.takeJobs();
  const own = jobs.findIndex(({ client }) => client === 'web-2');
  expect(own).toBeGreaterThanOrEqual(0);
  expect(own).toBeLessThanOrEqual(200);
  await vi.waitFor(() => {
    jobs.push(...rig.takeJobs());
    expect(jobs).toHaveLength(count + 1);
  });
  expect(new Set(jobs.map(({ client, check }) => `${client}/${check}`)).size).toBe(count + 1);
  expect(jobs.filter(({ event }) => event.silence_ended === true)).toHaveLength(count);
});

/** Opens `count` events of `web-1`. */
async function failAll(rig: HandlingRig, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `check-${String(at)}`);
  await rig.results.submit(
    DEFAULT_NAMESPACE,
    names.map((name) => ({ name, output: 'down', source: 'web-1', status: 2 })),
  );
}

/** Returns the checks of all created handler jobs. No handler runs here, so every job is still stored. */
async function storedChecks({ store }: HandlingRig): Promise<string[]> {
  const checks: string[] = [];
  for await (const [, value] of store.scan([HANDLER_JOB_PREFIX])) checks.push((JSON.parse(value) as HandlerJob).check);
  return checks;
}

async function takeRunsAfterStart(dir: string, clock: ManualClock): Promise<string[]> {
  return await takeRuns(await openRig(MAIL, { dir, clock }));
}

test.each([
  { name: 'that recovers', well: { resolve_after: 5 } },
  { name: 'that stays open', well: { auto_resolve: false } },
])(
  'an event $name is notified when an OK result changes it so that its silence by search no longer matches',
  async ({ well }) => {
    const rig = await openRig();
    await silence(rig, { check: undefined, selector: 'check.team=storage' });
    await rig.report(2, { team: 'storage', ...well });
    await rig.report(0, { team: 'storage', ...well });
    expect(await takeRuns(rig)).toEqual([]);
    await rig.report(0, { team: 'network', ...well });
    expect(await takeRuns(rig)).toEqual(ENDED);
    await rig.report(0, { team: 'storage', ...well });
    await rig.report(0, { team: 'network', ...well });
    expect(await takeRuns(rig)).toEqual([]);
  },
);
