import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig, type LoadedConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { BACKEND_CLIENT } from '../../../../shared/schemas/backend-client.ts';
import { HttpReceiver } from '../../../support/http-receiver.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { send } from '../../../support/raw-http.ts';
import { SmallDisk } from '../../../support/small-disk.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { V2Peer } from '../../../support/v2-peer.ts';

type Sections = Partial<Pick<LoadedConfig, 'checks' | 'handlers' | 'people' | 'schedules'>>;

interface Rig {
  readonly dir: string;
  readonly clock: ManualClock;
  readonly backend: Backend;
  readonly log: RecordedLog;
  readonly api: ApiClient;
  readonly v2: V2Peer;
  readonly limit: { entities: number };
  stop(): Promise<void>;
}

async function openRig(
  sections: Sections = {},
  { dir = '', clock = new ManualClock(), entities = 5 } = {},
): Promise<Rig> {
  const log = new RecordedLog();
  const limit = { entities };
  const { program } = await loadConfig({ directories: [], env: {} });
  const place = dir === '' ? await tempDir() : dir;
  const backend = await openBackend({
    dir: place,
    clock,
    log,
    disk: new SmallDisk(1e12),
    batcher: { batchLimit: 1 },
    definitions: {
      ...sections,
      program: {
        ...program,
        'silence-idle-after': 600,
        get 'entity-limit'() {
          return limit.entities;
        },
      },
    },
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await backend.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  return {
    dir: place,
    clock,
    backend,
    log,
    api: openApiClient({ backend: backend.url }),
    v2: new V2Peer(backend.url),
    limit,
    stop,
  };
}

/** Advances the clock in steps of ten seconds, and waits for the work that each step starts. */
async function pass({ clock, api }: Rig, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    clock.advance(10_000);
    await api.events();
  }
}

async function statusOf({ api }: Rig, condition: string): Promise<number | undefined> {
  return (await api.event(BACKEND_CLIENT, condition))?.check.status;
}

async function expectStatus(rig: Rig, condition: string, status: number | undefined): Promise<void> {
  await vi.waitFor(async () => {
    rig.clock.advance(10_000);
    expect(await statusOf(rig, condition)).toBe(status);
  });
}

async function putEntity({ v2 }: Rig, name: string): Promise<number> {
  const entity = { entity_class: 'proxy', metadata: { name, namespace: 'default' } };
  return (await v2.put(`/namespaces/default/entities/${name}`, entity)).status;
}

describe('mon.entities', () => {
  test('mon.entities is a warning from 80 % of the entity limit and critical at the limit, and then resolves', async () => {
    const rig = await openRig();
    for (const name of ['web-1', 'web-2', 'web-3']) expect(await putEntity(rig, name)).toBe(200);
    await pass(rig, 60);
    expect(await rig.api.events()).toEqual([]);
    await putEntity(rig, 'web-4');
    await expectStatus(rig, 'mon.entities', 1);
    expect(await putEntity(rig, 'web-5')).toBe(200);
    expect(await putEntity(rig, 'web-6')).toBe(402);
    await expectStatus(rig, 'mon.entities', 2);
    expect((await rig.api.event(BACKEND_CLIENT, 'mon.entities'))?.check.output).toMatch(
      /^entity-limit: 5 of 5 entities are in use .*, new agents and entities are rejected: web-6; raise entity-limit/,
    );
    rig.limit.entities = 100;
    await expectStatus(rig, 'mon.entities', undefined);
    expect(await putEntity(rig, 'web-6')).toBe(200);
  });

  test('deep health, the metrics and at most one log record per minute show the condition mon.entities', async () => {
    const rig = await openRig({}, { entities: 1 });
    await putEntity(rig, 'web-1');
    expect(await putEntity(rig, 'web-2')).toBe(402);
    expect(await putEntity(rig, 'web-2')).toBe(402);
    await expectStatus(rig, 'mon.entities', 2);
    const deep = await send(rig.backend.url, { method: 'GET', target: '/health?deep=1' });
    expect(deep).toMatchObject({
      status: 412,
      body: {
        problems: [expect.stringMatching(/^mon\.entities: entity-limit: 1 of 1 entities/)],
        entities: { total: 1, limit: 1, refused: ['web-2'] },
      },
    });
    const { text } = await send(rig.backend.url, { method: 'GET', target: '/metrics' });
    for (const line of [
      'mon_entities 1',
      'mon_entity_limit 1',
      'mon_entities_rejected_total 2',
      'mon_condition_status{condition="mon.entities"} 2',
      'mon_condition_subjects{condition="mon.entities"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    const lines = (): number => rig.log.messages('warn').filter((message) => message.startsWith('entity-limit')).length;
    expect(lines()).toBe(1);
    await pass(rig, 300);
    expect(lines()).toBeLessThanOrEqual(6);
    expect(lines()).toBeGreaterThan(2);
  });

  test('the client of the condition mon.entities does not count as an entity', async () => {
    const rig = await openRig({}, { entities: 1 });
    await putEntity(rig, 'web-1');
    await expectStatus(rig, 'mon.entities', 2);
    expect((await rig.api.overview()).entities).toMatchObject({ total: 1 });
  });

  test('the event mon.entities stays the same event across a restart', async () => {
    const first = await openRig({}, { entities: 1 });
    await putEntity(first, 'web-1');
    await expectStatus(first, 'mon.entities', 2);
    const { id } = (await first.api.event(BACKEND_CLIENT, 'mon.entities')) ?? {};
    await first.stop();
    const second = await openRig({}, { dir: first.dir, clock: first.clock, entities: 1 });
    await pass(second, 120);
    expect(await second.api.event(BACKEND_CLIENT, 'mon.entities')).toMatchObject({ id, check: { status: 2 } });
  });

  test('the event mon.entities can be silenced and is handled by the handlers in its check definition', async () => {
    const receiver = await HttpReceiver.open();
    const rig = await openRig(
      {
        checks: new Map([['mon.entities', { command: 'true', subscribers: [], publish: false, handlers: ['page'] }]]),
        handlers: new Map([['page', { type: 'webhook', url: receiver.url } as never]]),
      },
      { entities: 1 },
    );
    await putEntity(rig, 'web-1');
    // A single step of the clock, because further steps could exceed the timeout of the handler.
    rig.clock.advance(10_000);
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0));
    await rig.api.silence({ check: 'mon.entities' });
    expect(await rig.api.event(BACKEND_CLIENT, 'mon.entities')).toMatchObject({ silenced: true });
  });
});

const reportFull = ({ api }: Rig): Promise<unknown> =>
  api.submitResult({ name: 'disk', source: 'db-1', output: 'full', status: 2, handlers: ['page'] });

/** Waits for the failure that the receiver reports. If the clock advanced earlier, the run would time out instead. */
function untilFailed({ api }: Rig): Promise<void> {
  return vi.waitFor(async () => expect(await api.handlers()).toMatchObject([{ name: 'page', failed: 1 }]));
}

describe('mon.handlers', () => {
  test('mon.handlers is critical after ten minutes of failed runs and resolves with the next success', async () => {
    const receiver = await HttpReceiver.open();
    receiver.status = 400;
    const handlers = new Map([['page', { type: 'webhook', url: receiver.url } as never]]);
    const first = await openRig({ handlers });
    await reportFull(first);
    await untilFailed(first);
    expect(receiver.received).toHaveLength(1);
    await pass(first, 590);
    expect(await statusOf(first, 'mon.handlers')).toBeUndefined();
    await expectStatus(first, 'mon.handlers', 2);
    expect((await first.api.event(BACKEND_CLIENT, 'mon.handlers'))?.check.output).toMatch(/\(page\).*400/);
    await first.stop();

    const second = await openRig({ handlers }, { dir: first.dir, clock: first.clock });
    await pass(second, 120);
    expect(await statusOf(second, 'mon.handlers')).toBe(2);
    receiver.status = 204;
    await reportFull(second);
    await expectStatus(second, 'mon.handlers', undefined);
  });

  test('mon.handlers resolves at the start if the failing handler was removed while the backend was down', async () => {
    const receiver = await HttpReceiver.open();
    receiver.status = 400;
    const first = await openRig({ handlers: new Map([['page', { type: 'webhook', url: receiver.url } as never]]) });
    await reportFull(first);
    await untilFailed(first);
    expect(receiver.received).toHaveLength(1);
    await pass(first, 600);
    await expectStatus(first, 'mon.handlers', 2);
    await first.stop();

    const second = await openRig({}, { dir: first.dir, clock: first.clock });
    await expectStatus(second, 'mon.handlers', undefined);
  });
});

describe('mon.checks', () => {
  const checks: LoadedConfig['checks'] = new Map([
    ['lonely', { command: 'true', subscribers: ['db'], interval: 60 }],
    ['fine', { command: 'true', subscribers: ['web'], interval: 60 }],
    ['tokens', { command: 'probe :::nothing:::', subscribers: ['web'], interval: 60 }],
    ['never', { command: 'true', subscribers: ['web'], cron: '0 0 30 2 *' }],
    ['extended', { extension: 'nonesuch', subscribers: ['web'], interval: 60 }],
    ['by hand', { command: 'true', subscribers: ['db'], interval: 60, publish: false }],
  ]);

  test('mon.checks names checks that could not run for ten minutes, and resolves when they can run', async () => {
    const rig = await openRig({ checks });
    await rig.api.saveClient({ name: 'web-1', address: '192.0.2.1', subscriptions: ['web'] });
    const unmatched = { name: 'tokens', source: 'web-1', status: 3, output: 'Unmatched check token(s): nothing' };
    await rig.api.submitResult({ ...unmatched, handle: false });
    await rig.api.submitResult({ name: 'fine', source: 'web-1', status: 0, output: 'ok' });
    await pass(rig, 590);
    expect(await statusOf(rig, 'mon.checks')).toBeUndefined();
    await expectStatus(rig, 'mon.checks', 1);
    expect((await rig.api.event(BACKEND_CLIENT, 'mon.checks'))?.check.output).toBe(
      '4 checks never run: extended (no client has sent a result: agents may not know the extension nonesuch), ' +
        'lonely (no client has the subscription db), never (its schedule has no next run), ' +
        'tokens (Unmatched check token(s): nothing)',
    );
    await rig.api.saveClient({ name: 'db-1', address: '192.0.2.1', subscriptions: ['db'] });
    for (const name of ['tokens', 'extended']) {
      await rig.api.submitResult({ name, source: 'web-1', status: 0, output: 'ok' });
    }
    await vi.waitFor(async () => {
      rig.clock.advance(10_000);
      expect((await rig.api.event(BACKEND_CLIENT, 'mon.checks'))?.check.output).toMatch(/^1 check never runs: never/);
    });
  });
});

test('mon.silences is a warning while a silence is marked as idle', async () => {
  const rig = await openRig();
  await rig.api.silence({ check: 'nonesuch', subscription: 'web' });
  await pass(rig, 900);
  await expectStatus(rig, 'mon.silences', 1);
  expect((await rig.api.event(BACKEND_CLIENT, 'mon.silences'))?.check.output).toContain('web:nonesuch');
  await rig.api.clearSilenced({ id: 'web:nonesuch' });
  await expectStatus(rig, 'mon.silences', undefined);
});

test('a schedule without anybody on call opens an event, which resolves with an override', async () => {
  const people = new Map([['ada', { notify: ['mail'] }]]);
  const layers = [{ people: ['ada'], starting: '2199-01-01' }];
  const rig = await openRig({ people, schedules: new Map([['database', { 'time-zone': 'UTC', layers }]]) });
  await expectStatus(rig, 'mon.on-call', 2);
  expect((await rig.api.event(BACKEND_CLIENT, 'mon.on-call'))?.check.output).toMatch(/^nobody is on call for database/);
  const now = Math.floor(rig.clock.now() / 1000);
  await rig.api.createOverride('database', { person: 'ada', from: now, until: now + 5 * 86_400 });
  await expectStatus(rig, 'mon.on-call', 1);
  await rig.api.createOverride('database', { person: 'ada', from: now, until: now + 30 * 86_400 });
  await expectStatus(rig, 'mon.on-call', undefined);
});
