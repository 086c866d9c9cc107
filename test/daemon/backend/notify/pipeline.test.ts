import { describe, expect, onTestFinished, test } from 'vitest';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { HANDLER_JOB_PREFIX } from '../../../../daemon/backend/model/notify/delivery/storage.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { HandlingRig, type HandlingSections } from '../../../support/handling-rig.ts';
import { eventSubjectOf } from '../../../../shared/domain/v2/event-subject.ts';
import { judgeV2Filter, v2EventFilterOf } from '../../../../shared/domain/v2/filter.ts';
import { v2HandledEvent } from '../../../../shared/domain/v2/handled-event.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';

const NOW = ManualClock.START_MS / 1000;
const PIPE = { type: 'pipe', command: 'true' };
const MAIL: HandlingSections = { handlers: { default: PIPE } };

async function openRig(sections: HandlingSections = MAIL): Promise<HandlingRig> {
  const rig = await HandlingRig.open(sections);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

async function storedJobs(rig: HandlingRig): Promise<HandlerJob[]> {
  const jobs: HandlerJob[] = [];
  for await (const [, value] of rig.store.scan([HANDLER_JOB_PREFIX])) jobs.push(JSON.parse(value) as HandlerJob);
  return jobs;
}

/** Reports these statuses in sequence, and returns the handler runs of each result. */
async function reportStatuses(rig: HandlingRig, statuses: readonly number[], attributes = {}): Promise<string[][]> {
  const runs: string[][] = [];
  for (const status of statuses) {
    await rig.report(status, attributes);
    runs.push(rig.takeRuns());
  }
  return runs;
}

/** Returns a rig with an open event of `web-1/disk`. */
const openWithEvent = async (): Promise<HandlingRig> => {
  const rig = await openRig();
  await rig.report(2, { ttl: 60 });
  rig.takeRuns();
  return rig;
};

const silence = (rig: HandlingRig, attributes = {}): Promise<unknown> =>
  rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk', ...attributes });

const keepalive = (rig: HandlingRig, attributes = {}): Promise<unknown> =>
  rig.clients.keepalive(DEFAULT_NAMESPACE, { name: 'web-1', address: '10.0.0.9', ...attributes });

describe('results that run handlers (completion 1.4)', () => {
  test('every failure and the resolution run the handlers, and other OK results do not', async () => {
    const runs = await reportStatuses(await openRig(), [0, 1, 1, 2, 0, 0, 3]);
    expect(runs).toEqual([
      [],
      ['default create'],
      ['default create'],
      ['default create'],
      ['default resolve'],
      [],
      ['default create'],
    ]);
  });

  test('a handler of the v2 API gets every result unless its filter is_incident rejects OK results', async () => {
    const newer = { ...PIPE, event_format: 'core' };
    const rig = await openRig({
      handlers: {
        older: PIPE,
        all: newer,
        incidents: { ...newer, filters: ['is_incident'] },
        both: { type: 'set', handlers: ['all', 'older'] },
      },
    });
    expect(await reportStatuses(rig, [0, 2, 0, 0], { handlers: ['older', 'all', 'incidents'] })).toEqual([
      ['all create'],
      ['older create', 'all create', 'incidents create'],
      ['older resolve', 'all resolve', 'incidents resolve'],
      ['all create'],
    ]);
    // No OK result leaves an event behind, and a handler set is replaced by its handlers.
    expect(await reportStatuses(rig, [0, 0], { handlers: ['both'] })).toEqual([['all create'], ['all create']]);
    expect(rig.entry()?.state.event).toBeUndefined();
    expect(await reportStatuses(rig, [0], { handlers: ['all'], handle: false })).toEqual([[]]);
  });

  test('silenced OK results are suppressed for v2 handlers with not_silenced, but not for v1 handlers', async () => {
    const newer = { ...PIPE, event_format: 'core', handle_silenced: true };
    const rig = await openRig({
      handlers: { all: newer, unsilenced: { ...newer, filters: ['not_silenced'] }, older: PIPE },
    });
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
    const seen: unknown[] = [];
    const handlers = ['all', 'unsilenced', 'older'];
    for (const status of [0, 0, 2, 0, 0]) {
      await rig.report(status, { handlers });
      for (const { handler, event } of rig.takeJobs()) {
        const { is_silenced: isSilenced, silenced } = v2HandledEvent(DEFAULT_NAMESPACE, event).check;
        seen.push([handler, status, isSilenced, silenced]);
      }
    }
    expect(seen).toEqual([0, 0, 2, 0, 0].map((status) => ['all', status, true, ['entity:web-1:*']]));
    // In the v1 format, an OK result of the type metric is never silenced.
    await rig.report(0, { handlers, type: 'metric' });
    expect(rig.takeJobs().map(({ handler, event }) => [handler, event.silenced])).toEqual([
      ['all', true],
      ['older', false],
    ]);
    // No event is stored, so the end of the silence notifies nothing.
    expect(rig.entry()?.state.event).toBeUndefined();
  });

  test('the occurrences of OK results keep counting beyond the history and across a restart', async () => {
    const dir = await tempDir();
    const everyHour = v2EventFilterOf({
      metadata: { name: 'hourly', namespace: DEFAULT_NAMESPACE },
      action: 'allow',
      expressions: ['event.check.occurrences == 1 || event.check.occurrences % (3600 / event.check.interval) == 0'],
    });
    if ('problem' in everyHour) throw new Error(everyHour.problem);
    const occurrences: number[] = [];
    let hourly = 0;
    for (const part of [1, 2]) {
      const sections = { handlers: { all: { ...PIPE, event_format: 'core' } } };
      await using rig = await HandlingRig.open(sections, { dir });
      for (let result = 0; result < 20; result++) {
        await rig.report(0, { handlers: ['all'], interval: 1200 });
        const [job] = rig.takeJobs();
        if (job === undefined) throw new Error(`result ${String(result)} of part ${String(part)} was not handled`);
        occurrences.push(v2HandledEvent(DEFAULT_NAMESPACE, job.event).check.occurrences);
        const moment = { nowMs: rig.clock.now(), zone: 'UTC' };
        const subject = eventSubjectOf(DEFAULT_NAMESPACE, job.event);
        if (!judgeV2Filter(everyHour, subject, moment).isFiltered) hourly++;
      }
    }
    // As in Sensu Go, the very first result is not counted, so the second one has occurrence 1 again.
    expect(occurrences).toEqual([1, ...Array.from({ length: 39 }, (_, at) => at + 1)]);
    // The filter passes the first two results, which both have occurrence 1, and then every third one.
    expect(hourly).toBe(2 + 13);
  });

  test('an OK result with auto_resolve: false does not resolve the event unless it has force_resolve', async () => {
    const rig = await openRig();
    expect(await reportStatuses(rig, [2, 0, 0, 1], { auto_resolve: false })).toEqual([
      ['default create'],
      [],
      [],
      ['default create'],
    ]);
    await rig.report(0, { auto_resolve: false, force_resolve: true });
    expect(rig.takeRuns()).toEqual(['default resolve']);
  });

  test('flapping is notified only by handlers with handle_flapping, and the resolution by all handlers', async () => {
    const rig = await openRig({
      handlers: { calm: PIPE, eager: { ...PIPE, handle_flapping: true } },
    });
    const flaps = { handlers: ['calm', 'eager'], low_flap_threshold: 5, high_flap_threshold: 20 };
    await reportStatuses(
      rig,
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 0 : 2)),
      flaps,
    );
    expect(await reportStatuses(rig, [0], flaps)).toEqual([['eager flapping']]);
    const calming = (
      await reportStatuses(
        rig,
        Array.from({ length: 25 }, () => 0),
        flaps,
      )
    ).flat();
    expect(calming.slice(-2)).toEqual(['calm resolve', 'eager resolve']);
    expect(new Set(calming.slice(0, -2))).toEqual(new Set(['eager flapping']));
  });

  test('every metric result runs its handlers with the whole output, with or without an open event', async () => {
    const rig = await openRig();
    const output = `${'x'.repeat(300)}\nmore`;
    for (const status of [0, 2, 0]) await rig.report(status, { type: 'metric', output });
    const jobs = rig.takeJobs();
    expect(jobs.map(({ event }) => [event.action, event.check.status, event.check.output])).toEqual([
      ['create', 0, output],
      ['create', 2, output],
      ['resolve', 0, output],
    ]);
    expect(rig.entry()?.state.event).toBeUndefined();
  });

  test('a result with handlers: [] runs no handler and logs nothing', async () => {
    const rig = await openRig();
    expect(await reportStatuses(rig, [2, 0], { handlers: [] })).toEqual([[], []]);
    expect(rig.log.records).toEqual([]);
  });

  test('a reload that changes handlers applies from the next event on', async () => {
    const rig = await openRig({ handlers: { default: { type: 'set', handlers: ['a'] }, a: PIPE } });
    expect(await reportStatuses(rig, [2])).toEqual([['a create']]);
    rig.reload({ handlers: { default: { type: 'set', handlers: ['b'] }, b: PIPE } });
    expect(await reportStatuses(rig, [2])).toEqual([['b create']]);
  });
});

describe('events of all origins', () => {
  test('a manual resolve runs the handlers', async () => {
    const rig = await openWithEvent();
    await rig.events.resolve(DEFAULT_NAMESPACE, 'web-1', 'disk');
    const [job] = rig.takeJobs();
    expect(job?.event).toMatchObject({
      action: 'resolve',
      check: { output: 'Resolving on request of the API', history: ['2', '0'] },
    });
  });

  test('deleting a client runs the handlers for the resolution, with all data of the event', async () => {
    const rig = await openWithEvent();
    await rig.clients.remove(DEFAULT_NAMESPACE, 'web-1', { expireSeconds: undefined });
    const [job, ...others] = rig.takeJobs();
    expect(job?.event).toMatchObject({ action: 'resolve', client: { name: 'web-1', type: 'proxy' } });
    expect(others).toEqual([]);
  });

  test('deleting a check runs the handlers for the resolutions', async () => {
    const rig = await openWithEvent();
    await rig.checks.remove(DEFAULT_NAMESPACE, 'disk');
    expect(rig.takeRuns()).toEqual(['default resolve']);
  });

  test('an expired TTL runs the handlers', async () => {
    const rig = await openWithEvent();
    rig.clock.advance(60_000);
    await rig.stale.applyStaleResults(DEFAULT_NAMESPACE, [['web-1', 'disk']]);
    expect(rig.takeJobs().map(({ event }) => event.check.output)).toEqual(['Last check execution was 60 seconds ago']);
  });

  test('an event that the backend itself opens, such as a missing keepalive, runs the handlers', async () => {
    const rig = await openWithEvent();
    const check = { name: 'keepalive', output: 'none', status: 2, executed: NOW, issued: NOW };
    await rig.results.record(DEFAULT_NAMESPACE, [{ client: 'web-1', reporter: 'web-1', check }]);
    expect(rig.takeRuns()).toEqual(['default create']);
  });
});

describe('the jobs of handlers', () => {
  test('a handler job contains the event as Sensu Core formats it, with its secrets (legacy-peer, Event JSON)', async () => {
    const rig = await openRig();
    await rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: '10.0.0.9', password: 'hunter2' });
    await rig.report(0);
    rig.clock.advance(1000);
    await rig.report(2, { token: 'x', output: 'full' });
    const [job] = rig.takeJobs();
    expect(JSON.stringify(job?.event)).toBe(
      JSON.stringify({
        id: rig.entry()?.state.event?.id,
        client: {
          name: 'web-1',
          address: '10.0.0.9',
          password: 'hunter2',
          keepalives: false,
          version: '1.9.0',
          timestamp: NOW,
          subscriptions: ['client:web-1'],
        },
        check: {
          name: 'disk',
          output: 'full',
          source: 'web-1',
          status: 2,
          token: 'x',
          executed: NOW + 1,
          issued: NOW + 1,
          type: 'standard',
          origin: 'sensu-api',
          history: ['0', '2'],
          total_state_change: 0,
        },
        occurrences: 1,
        occurrences_watermark: 1,
        last_ok: NOW,
        action: 'create',
        timestamp: NOW + 1,
        last_state_change: NOW + 1,
        silenced: false,
        silenced_by: [],
      }),
    );
  });

  test('handler jobs are committed together with the event, with ascending ids', async () => {
    const rig = await openRig({ handlers: { a: PIPE, b: PIPE } });
    await rig.report(2, { handlers: ['a', 'b'] });
    await rig.report(2, { handlers: ['a'] });
    const jobs = rig.takeJobs();
    expect(jobs).toMatchObject([
      { handler: 'a', namespace: 'default', client: 'web-1', check: 'disk', queued_at: ManualClock.START_MS },
      { handler: 'b' },
      { handler: 'a' },
    ]);
    expect(jobs.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(await storedJobs(rig)).toEqual(jobs);
  });

  test('a failed write leaves neither an event nor a handler job nor a log record of the event', async () => {
    const rig = await openRig({ handlers: { a: PIPE } });
    rig.store.refuses = () => true;
    await expect(rig.report(2, { handlers: ['a', 'nope'] })).rejects.toThrow(/does not accept writes/);
    expect(rig.takeJobs()).toEqual([]);
    expect(await storedJobs(rig)).toEqual([]);
    expect(rig.log.messages('error')).toEqual(['store write failed']);
    rig.store.refuses = () => false;
    await rig.report(2, { handlers: ['a', 'nope'] });
    expect(rig.takeRuns()).toEqual(['a create']);
    expect(rig.log.messages('error').at(-1)).toBe('unknown handler');
  });
});

test('a handler with a full queue gets no job, which is logged, and the other handlers get their jobs', async () => {
  const full = new Set(['mail']);
  const rig = await HandlingRig.open({ handlers: { mail: PIPE, audit: PIPE } }, { full });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  await rig.report(2, { handlers: ['mail', 'audit'] });
  await rig.report(2, { handlers: ['mail', 'audit'] });
  expect(rig.takeRuns()).toEqual(['audit create', 'audit create']);
  expect(rig.log.records).toMatchObject([
    { level: 'error', message: 'handler queue is full, event was not handled', fields: { handler: 'mail' } },
  ]);
  full.clear();
  await rig.report(0, { handlers: ['mail', 'audit'] });
  expect(rig.takeRuns()).toEqual(['mail resolve', 'audit resolve']);
});

describe('silences (completion 1.3)', () => {
  test('a silence suppresses handlers without handle_silenced, while occurrences still count', async () => {
    const rig = await openRig({ handlers: { mail: PIPE, audit: { ...PIPE, handle_silenced: true } } });
    await silence(rig);
    await rig.report(2, { handlers: ['mail', 'audit'] });
    await rig.report(2, { handlers: ['mail', 'audit'] });
    expect(rig.takeJobs().map(({ handler, event }) => [handler, event.occurrences, event.silenced_by])).toEqual([
      ['audit', 1, ['*:disk']],
      ['audit', 2, ['*:disk']],
    ]);
    expect(rig.log.records[0]).toEqual({
      level: 'info',
      message: 'handler is silenced',
      fields: {
        handler: 'mail',
        client: 'web-1',
        check: 'disk',
        status: 2,
        action: 'create',
        occurrences: 1,
        event_id: rig.entry()?.state.event?.id,
        reason: 'silenced by *:disk, and the handler does not set handle_silenced: true',
        silenced_by: ['*:disk'],
      },
    });
  });

  test('a silence suppresses nothing before it begins, and does not cover an OK metric result', async () => {
    const rig = await openRig();
    await silence(rig, { begin: NOW + 60 });
    await rig.report(2);
    rig.clock.advance(60_000);
    await rig.report(2);
    expect(rig.takeRuns()).toEqual(['default create']);
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'load' });
    await rig.report(0, { name: 'load', type: 'metric' });
    expect(rig.takeJobs().map(({ event }) => event.silenced)).toEqual([false]);
  });

  test.each<{ name: string; resolve: (rig: HandlingRig) => Promise<unknown> }>([
    { name: 'an OK result', resolve: (rig) => rig.report(0) },
    { name: 'a request of the API', resolve: (rig) => rig.events.resolve(DEFAULT_NAMESPACE, 'web-1', 'disk') },
    { name: 'the deletion of the check', resolve: (rig) => rig.checks.remove(DEFAULT_NAMESPACE, 'disk') },
    {
      name: 'the deletion of the client',
      resolve: (rig) => rig.clients.remove(DEFAULT_NAMESPACE, 'web-1', { expireSeconds: undefined }),
    },
  ])(
    'an expire_on_resolve silence ends when the event resolves by $name, and the resolution is notified',
    async ({ resolve }) => {
      const rig = await openRig();
      await silence(rig, { expire_on_resolve: true });
      await rig.report(2);
      expect(rig.takeRuns()).toEqual([]);
      await resolve(rig);
      expect(rig.takeJobs().map(({ event }) => [event.action, event.silenced_by])).toEqual([['resolve', []]]);
    },
  );

  test('a resolution is not notified if a second silence besides an expire_on_resolve silence covers the event', async () => {
    const rig = await openRig();
    await silence(rig, { expire_on_resolve: true });
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
    await rig.report(2);
    await rig.report(0);
    expect(rig.takeRuns()).toEqual([]);
    expect(rig.log.records.at(-1)?.fields).toMatchObject({ action: 'resolve', silenced_by: ['client:web-1:*'] });
  });

  test('an event has a pending notification from its first suppressed job until a job runs without a silence', async () => {
    const rig = await openRig({
      handlers: { default: { ...PIPE, filter: 'occurrences' }, audit: { ...PIPE, handle_silenced: true } },
    });
    const attributes = { handlers: ['default', 'audit'], occurrences: 2, refresh: 60, interval: 60 };
    const suppressed: unknown[] = [];
    const step = async (): Promise<void> => {
      await rig.report(2, attributes);
      suppressed.push(rig.entry()?.state.event?.notifications.pending?.silence);
    };
    await silence(rig);
    // The first occurrence is not marked as suppressed by the silence, because the filter would reject it anyway.
    await step();
    await step();
    const reread = new Registry(TABLES);
    await reread.load(rig.store);
    expect(
      reread.namespace(DEFAULT_NAMESPACE).check('web-1', 'disk')?.state.event?.notifications.pending?.silence,
    ).toBe(true);
    await step();
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    await step();
    expect(suppressed).toEqual([undefined, true, true, undefined]);
  });

  test('suppressed handler jobs are counted for each silence', async () => {
    const rig = await openRig({
      handlers: { a: PIPE, b: PIPE, ok: { ...PIPE, severities: ['ok'] }, staging: { ...PIPE, filter: 'staging' } },
      filters: { staging: { attributes: { client: { environment: 'staging' } } } },
    });
    await silence(rig);
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
    const handlers = ['a', 'b', 'ok', 'staging'];
    await rig.report(2, { handlers });
    const { silenced } = rig.registry.namespace(DEFAULT_NAMESPACE);
    const use = { suppressed: 2, last_suppressed: NOW, unmatched_since: NOW };
    expect([silenced.use('client:web-1:*'), silenced.use('*:disk')]).toEqual([use, use]);
  });
});

test('a handler with check_dependencies does not get an event while a dependency has an event', async () => {
  const rig = await openRig({ handlers: { default: { ...PIPE, filter: 'check_dependencies' } } });
  await rig.clients.put(DEFAULT_NAMESPACE, { name: 'db-1', address: 'a', subscriptions: ['databases'] });
  const dependencies = ['subscription:databases/disk'];
  const database = (status: number): Promise<void> => rig.report(status, { source: 'db-1', handlers: [] });
  await database(2);
  await rig.report(2, { name: 'shop', dependencies });
  expect(rig.takeRuns()).toEqual([]);
  expect(rig.log.records.at(-1)).toMatchObject({
    message: 'event was filtered',
    fields: { filter: 'check_dependencies', check: 'shop' },
  });
  await database(0);
  await rig.report(2, { name: 'shop', dependencies });
  expect(rig.takeRuns()).toEqual(['default create']);
});

describe('the log (completion 1.8)', () => {
  const HANDLERS = {
    calm: { ...PIPE, severities: ['ok'] },
    staging: { ...PIPE, filter: 'staging' },
    nofilter: { ...PIPE, filter: 'nope' },
    deep: { type: 'set', handlers: ['deeper'] },
    deeper: { type: 'set', handlers: ['deepest'] },
    deepest: { type: 'set', handlers: [] },
  };
  const FILTERS = { staging: { attributes: { client: { environment: 'staging' } } } };

  test.each<{ handler: string; check?: object; level: string; message: string; fields?: object }>([
    { handler: 'calm', level: 'info', message: 'handler does not handle event severity' },
    {
      handler: 'staging',
      level: 'info',
      message: 'event was filtered',
      fields: { filter: 'staging', attribute: 'client.environment' },
    },
    { handler: 'nope', level: 'error', message: 'unknown handler' },
    {
      handler: 'deep',
      level: 'error',
      message: 'handler sets cannot be deeply nested',
      fields: { handler: 'deepest' },
    },
    { handler: 'nofilter', level: 'error', message: 'unknown filter', fields: { filter: 'nope' } },
  ])('the handling of events logs the message "$message"', async ({ handler, level, message, fields }) => {
    const rig = await openRig({ handlers: HANDLERS, filters: FILTERS });
    await rig.report(2, { handler });
    expect(rig.log.records).toMatchObject([
      { level, message, fields: { handler, client: 'web-1', check: 'disk', status: 2, ...fields } },
    ]);
    expect(rig.log.records[0]?.fields).not.toHaveProperty('event');
  });

  test('a result with handle: false is logged once, whatever handlers it has', async () => {
    const rig = await openRig({ handlers: HANDLERS });
    await rig.report(2, { handlers: ['calm', 'staging', 'nope'], handle: false });
    expect(rig.log.records.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'event handling disabled for event'],
    ]);
    expect(rig.log.records[0]?.fields).not.toHaveProperty('handler');
    expect(rig.takeRuns()).toEqual([]);
  });

  test('a configuration error of a handler is logged once a minute, with the number of suppressed log records', async () => {
    const rig = await openRig({});
    for (let count = 0; count < 5; count++) await rig.report(2);
    expect(rig.log.messages('error')).toEqual(['unknown handler']);
    rig.clock.advance(60_000);
    await rig.report(2, { handler: 'other' });
    await rig.report(2);
    expect(rig.log.records.map(({ fields }) => [fields['handler'], fields['omitted']])).toEqual([
      ['default', undefined],
      ['other', undefined],
      ['default', 4],
    ]);
  });
});

describe('the registration event of a client (legacy-peer, State machine)', () => {
  const REGISTRATION: HandlingSections = { handlers: { registration: PIPE, file: PIPE } };
  test('the first keepalive creates a transient registration event with the attributes that Sensu Core sends', async () => {
    const rig = await openRig(REGISTRATION);
    await keepalive(rig, { timestamp: NOW });
    await keepalive(rig, { timestamp: NOW });
    const [job, ...others] = rig.takeJobs();
    expect(others).toEqual([]);
    expect(JSON.stringify(job?.event)).toBe(
      JSON.stringify({
        id: job?.event.id,
        client: {
          version: '1.9.0',
          name: 'web-1',
          address: '10.0.0.9',
          timestamp: NOW,
          subscriptions: ['client:web-1'],
        },
        check: {
          handler: 'registration',
          status: 1,
          name: 'registration',
          output: 'new client registration',
          issued: NOW,
          executed: NOW,
          history: [],
          total_state_change: 0,
        },
        occurrences: 2,
        occurrences_watermark: 2,
        last_ok: null,
        action: 'create',
        timestamp: NOW,
        silenced: false,
        silenced_by: [],
      }),
    );
    expect(rig.entry('web-1', 'registration')).toBeUndefined();
  });

  test('the registration event is handled before the result that creates the client', async () => {
    const rig = await openRig({ handlers: { registration: PIPE, default: PIPE } });
    await rig.report(2);
    await rig.report(2);
    expect(rig.takeJobs().map(({ handler, check }) => `${handler} ${check}`)).toEqual([
      'registration registration',
      'default disk',
      'default disk',
    ]);
  });

  test('a client that is created over the API has no registration event', async () => {
    const rig = await openRig(REGISTRATION);
    await rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: 'a' });
    await keepalive(rig);
    await rig.report(0);
    expect(rig.takeRuns()).toEqual([]);
  });

  test('a registration event contains the attributes that the client sets for its registration', async () => {
    const rig = await openRig({ handlers: { file: PIPE } });
    await keepalive(rig);
    await keepalive(rig, { name: 'web-2', registration: { handler: 'file', status: 2, note: 'hi', name: 'x' } });
    const jobs = rig.takeJobs();
    expect(jobs).toMatchObject([
      { handler: 'file', client: 'web-2', event: { check: { name: 'registration', status: 2, note: 'hi' } } },
    ]);
  });

  test('a registration event can be silenced and filtered like any other event', async () => {
    const rig = await openRig(REGISTRATION);
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'registration' });
    await keepalive(rig);
    expect(rig.takeRuns()).toEqual([]);
    expect(rig.log.messages('info')).toEqual(['handler is silenced']);
  });

  test('a registration event without a handler runs no handler and logs nothing', async () => {
    const rig = await openRig();
    await keepalive(rig);
    expect(rig.takeRuns()).toEqual([]);
    expect(rig.log.records).toEqual([]);
  });
});
