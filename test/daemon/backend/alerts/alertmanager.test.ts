import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const DOWN = { alertname: 'Down', instance: 'web-1', severity: 'critical' };

/** Advances the clock in steps of one second, so that timers run as in a running backend. */
function pass(clock: ManualClock, seconds: number): void {
  for (let passed = 0; passed < seconds; passed++) clock.advance(1000);
}

interface Rig extends Pick<RunningBackend, 'url' | 'log'> {
  readonly clock: ManualClock;
  readonly at: (seconds: number) => string;
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  readonly send: (...alerts: object[]) => Promise<number>;
  /** Returns `client/check status` for each result. */
  readonly results: () => Promise<readonly string[]>;
  readonly events: () => Promise<readonly string[]>;
}

async function openRig(settings: object = {}): Promise<Rig> {
  const clock = new ManualClock();
  const backend = await startBackend({ clock, batcher: { batchLimit: 1 }, settings: { ...settings } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const { url, log } = backend;
  const ask: Rig['ask'] = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  const read = async (path: string): Promise<readonly string[]> => {
    const { body } = await ask('GET', path);
    type Item = {
      readonly client: string | { readonly name: string };
      readonly check: { readonly name: string; readonly status: number };
    };
    return (body as readonly Item[]).map(({ client, check }) => {
      return `${typeof client === 'string' ? client : client.name}/${check.name} ${String(check.status)}`;
    });
  };
  return {
    url,
    log,
    clock,
    at: (seconds) => new Date(clock.now() + seconds * 1000).toISOString(),
    ask,
    send: async (...alerts) => (await ask('POST', '/api/v2/alerts', alerts)).status,
    results: () => read('/results'),
    events: () => read('/events'),
  };
}

describe('an alert of the Alertmanager API', () => {
  test('an alert is an event with the labels of the alert until the alert ends', async () => {
    const { ask, at, send, events, results } = await openRig();
    const annotations = { summary: 'web-1 does not answer' };
    expect(
      await send({ labels: DOWN, annotations, startsAt: at(-30), endsAt: at(240), generatorURL: 'http://p/g' }),
    ).toBe(200);
    expect(await events()).toEqual(['web-1/Down..critical 2']);
    const { body } = await ask('GET', '/events/web-1/Down..critical');
    expect(body).toMatchObject({
      client: { name: 'web-1', type: 'proxy' },
      check: { output: 'web-1 does not answer', ttl: 240, metadata: { labels: DOWN, annotations } },
      action: 'create',
    });
    expect(await send({ labels: DOWN, annotations, endsAt: at(0) })).toBe(200);
    expect(await events()).toEqual([]);
    expect(await results()).toEqual(['web-1/Down..critical 0']);
  });

  test('an alert that is no longer sent resolves once, even while its client sends no keepalive', async () => {
    const { ask, at, clock, send, results } = await openRig();
    await send({ labels: DOWN, endsAt: at(240) });
    await ask('POST', '/results', { source: 'web-1', name: 'keepalive', output: 'silent', status: 2 });
    pass(clock, 180);
    await send({ labels: DOWN, endsAt: at(240) });
    pass(clock, 239);
    expect(await results()).toContainEqual('web-1/Down..critical 2');
    pass(clock, 1);
    await vi.waitFor(async () => expect(await results()).toContainEqual('web-1/Down..critical 0'));
    const ended = await ask('GET', '/results/web-1/Down..critical');
    expect(ended.body).toMatchObject({
      check: { output: 'Not reported any more for 240 seconds', history: [2, 2, 0] },
    });
    pass(clock, 600);
    expect(await ask('GET', '/results/web-1/Down..critical')).toEqual(ended);
  });

  test('two alerts with different labels open two events', async () => {
    const { send, events, at } = await openRig();
    const full = (device: string) => ({ labels: { ...DOWN, device } });
    await send(full('sda'), full('sdb'), { labels: { ...DOWN, severity: 'warning' } });
    expect(await events()).toHaveLength(3);
    await send({ ...full('sda'), endsAt: at(-1) });
    expect(await events()).toHaveLength(2);
  });

  test('an alert that is already resolved and was never open creates no event and no client', async () => {
    const { ask, at, send } = await openRig();
    expect(await send({ labels: DOWN, endsAt: at(-60) })).toBe(200);
    expect((await ask('GET', '/clients')).body).toEqual([]);
  });

  test('the settings derive the handlers, the client and the severity of an alert from its labels', async () => {
    const { ask, send } = await openRig({
      alerts: { client: ['host'], statuses: { p1: 2 }, handlers: ['pager'], 'default-client': 'cloud' },
    });
    await send({ labels: { alertname: 'Slow', host: 'db-1', severity: 'P1' } }, { labels: { alertname: 'Slow' } });
    expect((await ask('GET', '/events')).body).toMatchObject([
      { client: { name: 'cloud' }, check: { name: 'Slow', status: 2, handlers: ['pager'] } },
      { client: { name: 'db-1' }, check: { name: 'Slow..P1', status: 2 } },
    ]);
  });

  test('a rejected alert is named by its index in the request, and the other alerts are stored', async () => {
    const { ask, events } = await openRig();
    const alerts = [{ labels: DOWN }, { labels: { job: 'x' } }, { labels: 7 }, { labels: DOWN, endsAt: 'soon' }];
    const answer = await ask('POST', '/api/v2/alerts', alerts);
    expect(answer.status).toBe(400);
    const lines = (answer.body as string).split('\n');
    expect(lines.map((line) => line.slice(0, 12))).toEqual(['1: labels: a', '2: labels: e', '3: endsAt: m']);
    expect(await events()).toHaveLength(1);
    expect((await ask('POST', '/api/v2/alerts', {})).body).toBe('the body must be an array of alerts');
  });

  test('an alert with labels in any language becomes an event, and an annotation that is too long is truncated', async () => {
    const { ask, send } = await openRig();
    expect(
      await send(
        { labels: { alertname: '磁盘已满', instance: 'db-1' } },
        { labels: { alertname: '…' }, annotations: { summary: 's', trace: 'x'.repeat(70_000) } },
        { labels: { alertname: 'Down', instance: '数据库-1' } },
        { labels: { alertname: 'Down', instance: '网页-1' } },
      ),
    ).toBe(200);
    type Listed = { readonly client: { readonly name: string }; readonly check: { readonly output: string } };
    const events = (await ask('GET', '/events')).body as readonly Listed[];
    expect(events.map(({ check }) => check.output).toSorted()).toEqual(
      ['磁盘已满', '…: s', '数据库-1: Down', '网页-1: Down'].toSorted(),
    );
    expect(new Set(events.map(({ client }) => client.name)).size).toBe(4);
    const alerts = (await ask('GET', '/api/v2/alerts')).body as readonly { annotations: Record<string, string> }[];
    const longest = Math.max(...alerts.map(({ annotations }) => annotations['trace']?.length ?? 0));
    expect(longest).toBeGreaterThan(60_000);
    expect(longest).toBeLessThan(65_536);
  });

  test('an alert with the label name __proto__ is rejected', async () => {
    const { url } = await openRig();
    const body = '[{"labels": {"alertname": "x", "__proto__": "y"}}]';
    expect((await fetch(`${url}/api/v2/alerts`, { method: 'POST', body })).status).toBe(400);
  });
});

describe('the list of alerts', () => {
  test('the list of alerts contains every open event and can be filtered by matchers', async () => {
    const { ask, send, at } = await openRig();
    await send({
      labels: DOWN,
      annotations: { summary: 's' },
      startsAt: at(-60),
      endsAt: at(60),
      generatorURL: 'http://p',
    });
    await ask('POST', '/results', { source: 'db-1', name: 'disk', output: 'full', status: 1 });
    const { body } = await ask('GET', '/api/v2/alerts');
    expect(body).toEqual([
      {
        labels: { alertname: 'disk', instance: 'db-1', severity: 'warning' },
        annotations: { summary: 'full' },
        startsAt: at(0),
        endsAt: at(300),
        updatedAt: at(0),
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        receivers: [{ name: 'mon' }],
        status: { state: 'active', silencedBy: [], inhibitedBy: [] },
      },
      expect.objectContaining({ labels: DOWN, startsAt: at(-60), endsAt: at(60), generatorURL: 'http://p' }),
    ]);
    const namesOf = async (query: string) =>
      ((await ask('GET', `/api/v2/alerts?${query}`)).body as readonly { labels: Record<string, string> }[]).map(
        ({ labels }) => labels['alertname'],
      );
    expect(await namesOf('filter=instance%3D~web.*&filter=severity%3Dcritical')).toEqual(['Down']);
    expect(await namesOf('filter=severity!%3Dcritical')).toEqual(['disk']);
    expect(await namesOf('active=false')).toEqual([]);
    expect(await namesOf('receiver=other')).toEqual([]);
    expect((await ask('GET', '/api/v2/alerts?filter=x')).body).toMatch(/^filter: must look like/);
  });

  test('an inhibited alert is listed as suppressed by its source and excluded with inhibited=false', async () => {
    const inhibitions = { rack: { source: 'check=switch', target: 'check=http', equal: [] } };
    const handlers = { default: { type: 'pipe', command: 'true' } };
    const { ask } = await openRig({ handlers, inhibitions });
    await ask('POST', '/results', { source: 'sw-1', name: 'switch', output: 'down', status: 2 });
    await ask('POST', '/results', { source: 'web-1', name: 'http', output: 'no route', status: 2 });
    await ask('POST', '/results', { source: 'web-2', name: 'http', output: 'no route', status: 1 });
    await ask('POST', '/silenced', { subscription: 'client:web-2' });
    interface Listed {
      readonly labels: Readonly<Record<string, string>>;
      readonly fingerprint: string;
      readonly status: { readonly state: string; readonly inhibitedBy: readonly string[] };
    }
    const list = async (query = ''): Promise<readonly Listed[]> =>
      (await ask('GET', `/api/v2/alerts${query}`)).body as readonly Listed[];
    const instances = async (query: string): Promise<readonly string[]> =>
      (await list(query)).map(({ labels }) => labels['instance'] ?? '').toSorted();

    const alerts = new Map((await list()).map((alert) => [alert.labels['instance'], alert]));
    const inhibitedBy = [alerts.get('sw-1')?.fingerprint];
    expect(alerts.get('sw-1')?.status).toEqual({ state: 'active', silencedBy: [], inhibitedBy: [] });
    expect(alerts.get('web-1')?.status).toEqual({ state: 'suppressed', silencedBy: [], inhibitedBy });
    expect(alerts.get('web-2')?.status).toEqual({ state: 'suppressed', silencedBy: [expect.anything()], inhibitedBy });
    expect(await instances('?inhibited=false')).toEqual(['sw-1']);
    expect(await instances('?silenced=false')).toEqual(['sw-1', 'web-1']);
    expect(await instances('?active=false')).toEqual(['web-1', 'web-2']);
    const { body: groups } = await ask('GET', '/api/v2/alerts/groups?inhibited=false');
    expect(groups).toMatchObject([{ alerts: [{ labels: { instance: 'sw-1' } }] }]);

    await ask('POST', '/results', { source: 'sw-1', name: 'switch', output: 'up', status: 0 });
    await ask('POST', '/results', { source: 'web-1', name: 'http', output: 'no route', status: 2 });
    expect(await instances('?inhibited=false')).toContain('web-1');
  });

  test('alerts of one check are in one group, even if they have additional labels', async () => {
    const { ask, send } = await openRig();
    await send({ labels: DOWN }, { labels: { ...DOWN, device: 'sda' } }, { labels: { alertname: 'Slow' } });
    const { body } = await ask('GET', '/api/v2/alerts/groups');
    const groups = body as readonly { labels: object; alerts: readonly unknown[] }[];
    expect(groups.map(({ labels, alerts }) => [labels, alerts.length])).toEqual([
      [{ alertname: 'Slow' }, 1],
      [{ alertname: 'Down' }, 2],
    ]);
  });

  test('the Alertmanager API serves the namespace default and rejects every other namespace', async () => {
    const { ask } = await openRig();
    for (const [method, path, body] of [
      ['GET', 'alerts'],
      ['GET', 'alerts/groups'],
      ['GET', 'status'],
      ['GET', 'receivers'],
      ['GET', 'silences'],
      ['GET', 'silence/x'],
      ['DELETE', 'silence/x'],
      ['POST', 'silences', {}],
      ['POST', 'alerts', [{ labels: DOWN }]],
    ] as const) {
      const answer = await ask(method, `/api/v2/${path}?namespace=other`, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatch(/^namespace: \/api\/v2 serves only the namespace default;/);
    }
    expect((await ask('GET', '/api/v2/alerts?namespace=default&unknown=1')).body).toEqual([]);
  });

  test('the Alertmanager API has the health endpoints of Alertmanager', async () => {
    const { url } = await openRig();
    for (const path of ['/-/healthy', '/-/ready']) {
      const answer = await fetch(url + path);
      expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
      expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(200);
    }
  });

  test('the status and the receivers have the form that clients of Alertmanager expect', async () => {
    const { ask, url } = await openRig();
    expect((await ask('GET', '/api/v2/status')).body).toMatchObject({
      cluster: { status: 'disabled', peers: [] },
      config: { original: expect.stringContaining('receiver: mon') },
      versionInfo: { version: '0.25.0' },
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('alertmanager_build_info{version="0.25.0"} 1');
    expect((await ask('GET', '/api/v2/receivers')).body).toEqual([{ name: 'mon' }]);
  });
});

describe('a watchdog alert, which alerts.watchdogs names', () => {
  const WATCHDOG = {
    labels: { alertname: 'Watchdog', severity: 'none' },
    annotations: { summary: 'Prometheus works' },
  };
  const CHECK = 'prometheus/Watchdog..none';

  test('a watchdog alert is OK while it is received, critical when it is missing, and then OK again', async () => {
    const { send, results, events, clock, at } = await openRig({ alerts: { watchdogs: { Watchdog: 600 } } });
    // An `endsAt` in the future, as Prometheus sends it, does not resolve the alert yet.
    await send({ ...WATCHDOG, endsAt: at(240) });
    expect(await results()).toEqual([`${CHECK} 0`]);
    pass(clock, 590);
    await send({ ...WATCHDOG, endsAt: at(240) });
    pass(clock, 599);
    await vi.waitFor(async () => expect(await events()).toEqual([]));
    pass(clock, 2);
    await vi.waitFor(async () => expect(await events()).toEqual([`${CHECK} 2`]));
    await send(WATCHDOG);
    expect(await events()).toEqual([]);
    expect(await results()).toEqual([`${CHECK} 0`]);
  });

  test('a watchdog is critical at once when its sender resolves the alert, but not if it was never received', async () => {
    const { send, results, events, at, ask } = await openRig({ alerts: { watchdogs: { Watchdog: 600 } } });
    await send({ ...WATCHDOG, endsAt: at(-1) });
    expect(await results()).toEqual([]);
    await send(WATCHDOG);
    await send({ ...WATCHDOG, endsAt: at(-1) });
    expect(await events()).toEqual([`${CHECK} 2`]);
    const { body } = await ask('GET', `/events/${CHECK}`);
    expect(body).toMatchObject({ check: { output: 'Ended by its sender: Prometheus works' } });
  });

  test('an alert whose name alerts.watchdogs does not contain is an ordinary alert', async () => {
    const { send, events, clock } = await openRig({ alerts: { watchdogs: { Deadman: 600 } } });
    await send({ labels: { alertname: 'constructor', severity: 'warning' } });
    expect(await events()).toEqual(['prometheus/constructor..warning 1']);
    pass(clock, 302);
    await vi.waitFor(async () => expect(await events()).toEqual([]));
  });
});
