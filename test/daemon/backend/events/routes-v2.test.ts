import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { V2Event } from '../../../../shared/schemas/v2/event.ts';
import { askV1 } from '../../../support/ask-v1.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const NOW = ManualClock.START_MS / 1000;
const EVENTS = '/namespaces/default/events';

let clock: ManualClock;
let backend: RunningBackend;
let v2: V2Peer;

beforeAll(async () => {
  clock = new ManualClock();
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    settings: {
      checks: {
        proxied: { command: 'true', subscribers: ['linux'], interval: 60, source: 'elsewhere' },
        sticky: { command: 'true', subscribers: ['linux'], interval: 60, auto_resolve: false, handlers: ['pager'] },
      },
    },
  });
  v2 = new V2Peer(backend.url);
  await v2.post('/namespaces', { name: 'ops' });
});

afterAll(() => backend[Symbol.asyncDispose]());

function v1(method: string, path: string, body?: unknown): Promise<unknown> {
  return askV1(backend.url, method, path, body);
}

function eventOf(entity: string, check: string, attributes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    timestamp: NOW,
    entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
    check: { metadata: { name: check, namespace: 'default' }, status: 2, output: 'broken', ...attributes },
    metadata: { namespace: 'default' },
  };
}

const labelled = (name: string, labels: object): object => ({ metadata: { name, namespace: 'default', labels } });

const keysOf = (body: unknown): readonly string[] =>
  (body as V2Event[]).map(({ entity, check }) => `${entity.metadata.name}/${check.metadata.name}`);

describe('an event that is posted to the v2 API', () => {
  test('a posted event creates a result and its entity and shows the counters of its check', async () => {
    const body = eventOf('web-01', 'cpu', { executed: NOW - 7, issued: NOW - 8, duration: 1.5, handlers: ['slack'] });
    expect(await v2.post(EVENTS, body)).toMatchObject({ status: 201, body: undefined });
    const { status, body: event } = await v2.get(`${EVENTS}/web-01/cpu`);
    expect(status).toBe(200);
    expect(event).toMatchObject({
      id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      metadata: { created_by: 'local administrator' },
      timestamp: NOW,
      sequence: 0,
      entity: { metadata: { name: 'web-01', namespace: 'default' }, entity_class: 'proxy' },
      check: {
        metadata: { name: 'cpu', namespace: 'default' },
        status: 2,
        state: 'failing',
        output: 'broken',
        executed: NOW - 7,
        issued: NOW - 8,
        duration: 1.5,
        handlers: ['slack'],
        // The history begins with the second result, so the first one has none.
        history: null,
        occurrences: 1,
        occurrences_watermark: 1,
        last_ok: 0,
        total_state_change: 0,
        is_silenced: false,
      },
    });
    expect((await v2.get('/namespaces/default/entities/web-01')).status).toBe(200);
    expect(await v1('GET', '/events/web-01/cpu')).toMatchObject({
      id: (event as V2Event).id,
      client: { name: 'web-01', type: 'proxy' },
      check: { name: 'cpu', status: 2, executed: NOW - 7, handlers: ['slack'] },
    });
  });

  test('each event of the same check increments its occurrences, whether sent by POST or PUT', async () => {
    const body = eventOf('again', 'cpu');
    for (const [method, path] of [
      ['POST', EVENTS],
      ['POST', `${EVENTS}/again/cpu`],
      ['PUT', `${EVENTS}/again/cpu`],
    ] as const) {
      expect((await v2.send(method, path, body)).status).toBe(201);
    }
    expect((await v2.get(`${EVENTS}/again/cpu`)).body).toMatchObject({ check: { occurrences: 3 } });
  });

  test.each<[string, object]>([
    ['without metadata', { entity: {}, check: { status: 1, output: 'x' } }],
    ['with null in place of metadata', { entity: { metadata: null }, check: { metadata: null, status: 1 } }],
    [
      'with empty names',
      { entity: { metadata: { name: '', namespace: '' } }, check: { metadata: { name: '' }, status: 1 } },
    ],
    ['with a name for its check alone', { entity: {}, check: { metadata: { name: 'hello' }, status: 1 } }],
    ['with labels alone', { entity: {}, check: { metadata: { labels: { a: 'b' } }, status: 1 } }],
  ])('a posted event gets its missing names and its namespace from the path: %s', async (_what, body) => {
    for (const method of ['PUT', 'POST']) {
      expect(await v2.send(method, '/namespaces/ops/events/min-1/hello', body)).toMatchObject({ status: 201 });
      const found = await v2.get('/namespaces/ops/events/min-1/hello');
      expect(found.body).toMatchObject({
        entity: { metadata: { name: 'min-1', namespace: 'ops' } },
        check: { metadata: { name: 'hello', namespace: 'ops' }, status: 1 },
      });
      await v2.delete('/namespaces/ops/events/min-1/hello');
    }
  });

  test.each<[string, object]>([
    ['another entity', { entity: { metadata: { name: 'other' } }, check: { status: 1 } }],
    ['another check', { entity: {}, check: { metadata: { name: 'other' }, status: 1 } }],
    ['another namespace', { entity: { metadata: { namespace: 'default' } }, check: { status: 1 } }],
    ['no entity', { check: { status: 1 } }],
    ['an entity that is not an object', { entity: 'min-2', check: { status: 1 } }],
    ['metadata that are not an object', { entity: { metadata: 'min-2' }, check: { status: 1 } }],
  ])('a posted event with %s is rejected', async (_what, body) => {
    for (const method of ['PUT', 'POST']) {
      expect((await v2.send(method, '/namespaces/ops/events/min-2/hello', body)).status).toBe(400);
    }
    expect((await v2.get('/namespaces/ops/events/min-2/hello')).status).toBe(404);
    // If the path contains no names, the body must contain them.
    const nameless = await v2.post('/namespaces/ops/events', { entity: {}, check: { status: 1 } });
    expect(nameless).toMatchObject({ status: 400, body: { code: 1 } });
  });

  test('an OK event keeps its complete output, even if it has metric handlers', async () => {
    const output = 'DISK OK | a=1\nsecond\nthird';
    const metrics = { output_metric_format: 'nagios_perfdata', output_metric_handlers: ['tsdb'] };
    await v2.post(EVENTS, eventOf('whole', 'disk', { status: 0, output, ...metrics }));
    expect((await v2.get(`${EVENTS}/whole/disk`)).body).toMatchObject({ check: { output } });
    const points = { handlers: ['tsdb'], points: [{ name: 'a', value: 1, timestamp: NOW, tags: null }] };
    await v2.post(EVENTS, { ...eventOf('whole', 'disk', { status: 0, output }), metrics: points });
    expect((await v2.get(`${EVENTS}/whole/disk`)).body).toMatchObject({ check: { output } });
    expect(await v1('GET', '/results/whole/disk')).toMatchObject({ check: { output } });
  });

  test('an event without times shows 0 for its times, while its result has the current time', async () => {
    const { timestamp: _, ...body } = eventOf('timeless', 'cpu');
    await v2.post(EVENTS, body);
    await v2.post(EVENTS, body);
    expect((await v2.get(`${EVENTS}/timeless/cpu`)).body).toMatchObject({
      timestamp: NOW,
      entity: { last_seen: 0 },
      check: { executed: 0, issued: 0, history: [{ status: 2, executed: 0 }] },
    });
    expect(await v1('GET', '/results/timeless/cpu')).toMatchObject({ check: { executed: NOW, issued: NOW } });
    expect(await v1('GET', '/clients/timeless')).toMatchObject({ timestamp: NOW });
    await v2.post(EVENTS, eventOf('timeless', 'cpu', { executed: NOW - 9, issued: NOW - 10 }));
    expect((await v2.get(`${EVENTS}/timeless/cpu`)).body).toMatchObject({
      check: { executed: NOW - 9, issued: NOW - 10 },
    });
  });

  test('an event keeps its sequence, and shows metrics only if it has metric points or metric handlers', async () => {
    const none = { handlers: [], points: [] };
    await v2.post(EVENTS, { ...eventOf('counted', 'cpu'), sequence: 7, metrics: none });
    const { body } = await v2.get(`${EVENTS}/counted/cpu`);
    expect(body).toMatchObject({ sequence: 7 });
    expect(body).not.toHaveProperty('metrics');
    await v2.post(EVENTS, { ...eventOf('counted', 'cpu'), metrics: { ...none, handlers: ['tsdb'] } });
    expect((await v2.get(`${EVENTS}/counted/cpu`)).body).toMatchObject({
      sequence: 0,
      metrics: { handlers: ['tsdb'], points: [] },
    });
  });

  test('an event with an invalid TTL or flap threshold is rejected unless a client puts it back as it was read', async () => {
    const post = async (attributes: object): Promise<number> =>
      (await v2.post(EVENTS, eventOf('bounded', 'cpu', { ...attributes }))).status;
    expect(await post({ interval: 60, ttl: 60 })).toBe(400);
    expect(await post({ interval: 60, ttl: 30 })).toBe(400);
    expect(await post({ interval: 60, low_flap_threshold: 30, high_flap_threshold: 20 })).toBe(400);
    expect((await v2.get(`${EVENTS}/bounded/cpu`)).status).toBe(404);
    expect(await post({ interval: 60, ttl: 61 })).toBe(201);
    expect(await post({ ttl: 5 })).toBe(201);
    expect(await post({ interval: 60, ttl: 0 })).toBe(201);
    expect(await post({ interval: 60, ttl: -1 })).toBe(201);
    // The v1 API accepts such a TTL, and an operator who resolves the event by hand sends it back as it was read.
    await v1('POST', '/results', { source: 'older', name: 'cpu', output: '', status: 2, interval: 60, ttl: 30 });
    const read = (await v2.get(`${EVENTS}/older/cpu`)).body as { check: object };
    expect(read).toMatchObject({ check: { interval: 60, ttl: 30 } });
    const resolved = { ...read, check: { ...read.check, status: 0 } };
    expect(await v2.put(`${EVENTS}/older/cpu`, resolved)).toMatchObject({ status: 201 });
    const other = { ...read, check: { ...read.check, ttl: 40 } };
    expect(await v2.put(`${EVENTS}/older/cpu`, other)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('check.ttl: must be greater than interval (60)') as string },
    });
  });

  test('an OK event can be read over the v2 API, and over the v1 API as a result', async () => {
    await v2.post(EVENTS, eventOf('fine', 'cpu', { status: 0, output: 'ok' }));
    const first = (await v2.get(`${EVENTS}/fine/cpu`)).body;
    expect(first).toMatchObject({ check: { state: 'passing', status: 0, last_ok: NOW, occurrences: 1 } });
    expect((await v2.get(`${EVENTS}/fine/cpu`)).body).toEqual(first);
    expect(await v1('GET', '/events/fine/cpu')).toBe(404);
    expect(await v1('GET', '/results/fine/cpu')).toMatchObject({ check: { status: 0 } });
  });

  test('a posted event is merged with the check definition of its namespace', async () => {
    await v2.post('/namespaces/ops/checks', {
      metadata: { name: 'io', namespace: 'ops' },
      command: 'check-io',
      subscriptions: ['db'],
      interval: 30,
      publish: true,
      handlers: ['ops-pager'],
    });
    const body = { entity: { metadata: { name: 'db-1' } }, check: { metadata: { name: 'io' }, status: 1 } };
    expect((await v2.post('/namespaces/ops/events', body)).status).toBe(201);
    expect((await v2.get('/namespaces/ops/events/db-1/io')).body).toMatchObject({
      entity: { metadata: { namespace: 'ops' } },
      check: { command: 'check-io', interval: 30, handlers: ['ops-pager'], subscriptions: ['db'], status: 1 },
    });
    expect(await v1('GET', '/events/db-1/io')).toBe(404);
  });

  test.each([
    { name: 'no check', body: { entity: { metadata: { name: 'x' } } } },
    { name: 'metrics alone', body: { entity: { metadata: { name: 'x' } }, metrics: { points: [] } } },
    { name: 'no check name', body: { entity: { metadata: { name: 'x' } }, check: { status: 1 } } },
    { name: 'no entity', body: { check: { metadata: { name: 'cpu' } } } },
    { name: 'a status that is not a number', body: eventOf('x', 'cpu', { status: 'critical' }) },
    { name: 'a status below 0', body: eventOf('x', 'cpu', { status: -1 }) },
    { name: 'a status beyond 32 bits', body: eventOf('x', 'cpu', { status: 2 ** 32 }) },
    {
      name: 'a check of another namespace',
      body: eventOf('x', 'cpu', { metadata: { name: 'cpu', namespace: 'ops' } }),
    },
    {
      name: 'an entity of another namespace',
      body: { ...eventOf('x', 'cpu'), entity: { metadata: { name: 'x', namespace: 'ops' } } },
    },
  ])('posting an event with $name returns 400', async ({ body }) => {
    expect(await v2.post(EVENTS, body)).toMatchObject({ status: 400, body: { code: 1 } });
    expect((await v2.get(`${EVENTS}/x/cpu`)).status).toBe(404);
  });

  test('an event keeps the largest exit status of Windows, which exceeds 31 bits', async () => {
    await v2.post(EVENTS, eventOf('win-01', 'cpu', { status: 0xc000_0005 }));
    expect((await v2.get(`${EVENTS}/win-01/cpu`)).body).toMatchObject({ check: { status: 0xc000_0005 } });
  });

  test('an event with a proxy entity name belongs to that entity and creates it', async () => {
    const event = eventOf('runner', 'ping', { proxy_entity_name: 'router-7' });
    expect((await v2.post(EVENTS, event)).status).toBe(201);
    const { body } = await v2.get(`${EVENTS}/router-7/ping`);
    expect(body).toMatchObject({
      entity: { metadata: { name: 'router-7' }, entity_class: 'proxy', subscriptions: ['entity:router-7'] },
      check: { proxy_entity_name: 'router-7', occurrences: 1 },
    });
    expect((await v2.get('/namespaces/default/entities/runner')).status).toBe(404);
    // The event can be put under the name of the executing client, or under that of the proxy entity as it was read.
    expect((await v2.put(`${EVENTS}/runner/ping`, event)).status).toBe(201);
    expect((await v2.put(`${EVENTS}/router-7/ping`, body)).status).toBe(201);
    expect((await v2.get(`${EVENTS}/router-7/ping`)).body).toMatchObject({ check: { occurrences: 3 } });
    expect((await v2.get(`${EVENTS}/runner/ping`)).status).toBe(404);
  });

  test('an event belongs to its own entity even if the check definition names a proxy entity', async () => {
    await v2.post(EVENTS, eventOf('host-1', 'proxied'));
    const { body } = await v2.get(`${EVENTS}/host-1/proxied`);
    expect(body).toMatchObject({ check: { proxy_entity_name: '', interval: 60 } });
    expect((await v2.put(`${EVENTS}/host-1/proxied`, body)).status).toBe(201);
    expect((await v2.get(`${EVENTS}/host-1/proxied`)).body).toMatchObject({ check: { occurrences: 2 } });
    expect((await v2.get(`${EVENTS}/elsewhere/proxied`)).status).toBe(404);
  });

  test('a new proxy entity has its own subscription in addition to those in its event', async () => {
    const entity = { entity_class: 'proxy', metadata: { name: 'twice' }, subscriptions: ['web', 'entity:twice'] };
    await v2.post(EVENTS, { ...eventOf('twice', 'cpu'), entity });
    expect((await v2.get('/namespaces/default/entities/twice')).body).toMatchObject({
      subscriptions: ['web', 'entity:twice', 'entity:twice'],
    });
    expect(await v1('GET', '/clients/twice')).toMatchObject({ subscriptions: ['web', 'client:twice'] });
  });

  test('a patch of an event is rejected', async () => {
    const { status, headers } = await v2.patch(`${EVENTS}/web-01/cpu`, { check: { status: 1 } });
    expect(status).toBe(405);
    expect(headers.get('allow')).not.toContain('PATCH');
  });

  test('an event has its own labels and can be selected by them and by labels of its entity and check', async () => {
    await v2.post(EVENTS, {
      ...eventOf('lab-1', 'cpu'),
      metadata: { namespace: 'default', labels: { ticket: 'T-1' }, annotations: { why: 'drill' } },
      entity: labelled('lab-1', { region: 'eu' }),
      check: { ...labelled('cpu', { team: 'ops' }), status: 1 },
    });
    expect((await v2.get(`${EVENTS}/lab-1/cpu`)).body).toMatchObject({
      metadata: { namespace: 'default', labels: { ticket: 'T-1' }, annotations: { why: 'drill' } },
      entity: { metadata: { labels: { region: 'eu' } } },
      check: { metadata: { labels: { team: 'ops' } } },
    });
    const selected = async (selector: string): Promise<readonly string[]> =>
      keysOf((await v2.get(`${EVENTS}?labelSelector=${encodeURIComponent(selector)}`)).body);
    expect(await selected('ticket == T-1')).toEqual(['lab-1/cpu']);
    expect(await selected('region == eu && team == ops && ticket in [T-0, T-1]')).toEqual(['lab-1/cpu']);
    expect(await selected('ticket == T-2')).toEqual([]);
    // Metrics belong to one event: the next event without metrics has none.
    await v2.post(EVENTS, eventOf('lab-1', 'cpu'));
    expect(await selected('ticket == T-1')).toEqual([]);
  });

  test('an event whose names differ from its path is rejected', async () => {
    expect((await v2.put(`${EVENTS}/web-01/disk`, eventOf('web-01', 'cpu'))).status).toBe(400);
    expect((await v2.post('/namespaces/nope/events', { ...eventOf('x', 'y'), metadata: {} })).status).toBe(400);
    const anywhere = { entity: { metadata: { name: 'x' } }, check: { metadata: { name: 'y' } } };
    expect((await v2.post('/namespaces/nope/events', anywhere)).status).toBe(404);
  });
});

describe('widely used clients of the v2 API', () => {
  test('sensuctl resolves an event by putting it back with status 0', async () => {
    await v2.post(EVENTS, eventOf('web-02', 'cpu'));
    const { body } = await v2.get(`${EVENTS}/web-02/cpu`);
    const { check, ...event } = body as V2Event;
    const resolved = {
      ...event,
      timestamp: NOW,
      check: { ...check, status: 0, output: 'Resolved manually by sensuctl' },
    };
    expect((await v2.put(`${EVENTS}/web-02/cpu`, resolved)).status).toBe(201);
    expect(await v1('GET', '/events/web-02/cpu')).toBe(404);
    expect((await v2.get(`${EVENTS}/web-02/cpu`)).body).toMatchObject({
      check: { state: 'passing', output: 'Resolved manually by sensuctl', history: [{ status: 0 }] },
    });
  });

  test('an OK event put over the v2 API resolves the event even with auto_resolve: false', async () => {
    const ok = eventOf('web-03', 'sticky', { status: 0 });
    await v2.post(EVENTS, eventOf('web-03', 'sticky'));
    await v2.post(EVENTS, ok);
    expect((await v2.get(`${EVENTS}/web-03/sticky`)).body).toMatchObject({
      check: { status: 2, handlers: ['pager'] },
    });
    await v2.put(`${EVENTS}/web-03/sticky`, ok);
    expect(await v1('GET', '/events/web-03/sticky')).toBe(404);
  });

  test('the Ansible module can put an event with a full entity, a full check and metrics', async () => {
    await v2.put('/namespaces/default/checks/awesome', {
      metadata: { name: 'awesome', namespace: 'default' },
      command: 'true',
      subscriptions: ['entity:web-01'],
      interval: 60,
      publish: false,
      handlers: [],
    });
    const entity = (await v2.get('/namespaces/default/entities/web-01')).body;
    const definition = (await v2.get('/namespaces/default/checks/awesome')).body as object;
    const metrics = {
      handlers: ['influx'],
      points: [{ name: 'time_total', tags: [{ name: 'unit', value: 's' }], timestamp: NOW, value: 0.005 }],
    };
    const check = {
      ...definition,
      duration: 1.945,
      executed: NOW - 60,
      status: 1,
      output: '10',
      state: 'passing',
      history: [{ executed: 1, status: 1 }],
    };
    const body = { timestamp: NOW, metadata: { namespace: 'default' }, entity, check, metrics };
    expect((await v2.put(`${EVENTS}/web-01/awesome`, body)).status).toBe(201);
    expect((await v2.get(`${EVENTS}/web-01/awesome`)).body).toMatchObject({
      metrics,
      check: { executed: NOW - 60, status: 1, output: '10', state: 'failing', duration: 1.945, handlers: [] },
    });
  });

  test('Telegraf can post metrics in every interval', async () => {
    const body = {
      entity: { metadata: { name: 'telegraf-1' } },
      check: {
        metadata: { name: 'telegraf' },
        status: 0,
        output: 'Telegraf agent processed 1 metrics',
        issued: NOW,
        output_metric_handlers: [],
      },
      metrics: {
        handlers: [],
        points: [{ name: 'cpu.idle', tags: [{ name: 'host', value: 'a' }], value: 97.5, timestamp: NOW }],
      },
      timestamp: NOW,
    };
    const peer = new V2Peer(backend.url, {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Telegraf',
    });
    for (const path of [EVENTS, `${EVENTS}/telegraf-1/telegraf`])
      expect((await peer.post(path, body)).status).toBe(201);
    expect((await v2.get(`${EVENTS}/telegraf-1/telegraf`)).body).toMatchObject({
      metrics: body.metrics,
      check: { state: 'passing', output_metric_handlers: [], occurrences: 1 },
    });
  });

  test('Nagstamon finds all attributes of an event that it shows', async () => {
    await v2.post(EVENTS, eventOf('nag-1', 'cpu', { publish: true }));
    const { body } = await v2.get('/events');
    const found = (body as V2Event[]).find(({ entity }) => entity.metadata.name === 'nag-1');
    expect(found?.check).toMatchObject({ is_silenced: false, last_ok: 0, occurrences: 1, status: 2, output: 'broken' });
  });

  test('Grafana can select events in pages', async () => {
    await v2.post(EVENTS, eventOf('graf-1', 'cpu', { metadata: { name: 'cpu', labels: { team: 'blue' } } }));
    await v2.post(EVENTS, eventOf('graf-1', 'disk', { status: 1 }));
    const select = async (query: Record<string, string>): Promise<readonly string[]> =>
      keysOf((await v2.get(`/namespaces/default/events?${new URLSearchParams(query).toString()}`)).body);
    expect(await select({ fieldSelector: 'event.entity.name == graf-1' })).toEqual(['graf-1/cpu', 'graf-1/disk']);
    expect(await select({ fieldSelector: 'event.entity.name == graf-1 && event.check.status == 1' })).toEqual([
      'graf-1/disk',
    ]);
    expect(await select({ fieldSelector: 'event.entity.name in [graf-1, nobody] && event.check.name != cpu' })).toEqual(
      ['graf-1/disk'],
    );
    expect(await select({ labelSelector: 'team == blue', limit: '100' })).toEqual(['graf-1/cpu']);
  });
});

describe('lists of events of the v2 API', () => {
  test('lists of events are sorted by entity and check, and paginated', async () => {
    const all = keysOf((await v2.get(EVENTS)).body);
    const paged: string[] = [];
    let token: string | null = '';
    while (token !== null) {
      const { body, headers } = await v2.get(`${EVENTS}?limit=2&continue=${token}`);
      paged.push(...keysOf(body));
      token = headers.get('Sensu-Continue');
    }
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
  });

  test('the list of events of one entity does not include events of other entities', async () => {
    expect(keysOf((await v2.get(`${EVENTS}/graf-1`)).body)).toEqual(['graf-1/cpu', 'graf-1/disk']);
    expect(await v2.get(`${EVENTS}/nobody`)).toMatchObject({ status: 200, body: [] });
  });

  test('a list of events over all namespaces contains the events of each namespace', async () => {
    const namespaces = ((await v2.get('/events')).body as V2Event[]).map(({ entity }) => entity.metadata.namespace);
    expect([...new Set(namespaces)]).toEqual(['default', 'ops']);
    expect((await v2.get('/namespaces/nope/events')).body).toEqual([]);
  });
});

describe('results of the v1 API and events of the v2 API', () => {
  test('a change made over the v2 API is sent on the feed', async () => {
    const peer = await FeedPeer.subscribe(backend.url, { topics: ['events', 'silenced'] });
    try {
      await vi.waitFor(() => {
        clock.advance(100);
        expect(peer.all('live')).toHaveLength(1);
      });
      const rows = (): unknown =>
        Object.fromEntries([...peer.replica.events].filter(([key]) => key.startsWith('fed-')));
      const until = async (expected: unknown): Promise<void> =>
        vi.waitFor(() => {
          clock.advance(100);
          expect(rows()).toMatchObject(expected as object);
        });
      await v2.post(EVENTS, eventOf('fed-1', 'cpu'));
      await until({ 'fed-1/cpu': { status: 2, silenced_by: [] } });
      await v2.post('/namespaces/default/silenced', { subscription: 'entity:fed-1', expire: 600, reason: 'x' });
      await until({ 'fed-1/cpu': { silenced_by: ['client:fed-1:*'] } });
      await v2.delete('/namespaces/default/silenced/entity:fed-1:*');
      await until({ 'fed-1/cpu': { silenced_by: [] } });
      await v2.delete(`${EVENTS}/fed-1/cpu`);
      await vi.waitFor(() => {
        clock.advance(100);
        expect(rows()).toEqual({});
      });
    } finally {
      peer.socket.terminate();
    }
  });

  test('a result of the v1 API is an event of the v2 API at once, and its resolution is an OK event', async () => {
    await v1('POST', '/results', { source: 'old-1', name: 'disk', output: 'full', status: 1, dependencies: ['a'] });
    expect((await v2.get(`${EVENTS}/old-1/disk`)).body).toMatchObject({
      entity: { entity_class: 'proxy', subscriptions: ['entity:old-1'] },
      check: { status: 1, state: 'failing', proxy_entity_name: 'old-1', dependencies: ['a'] },
    });
    await v1('DELETE', '/events/old-1/disk');
    expect((await v2.get(`${EVENTS}/old-1/disk`)).body).toMatchObject({
      check: { status: 0, state: 'passing', output: 'Resolving on request of the API' },
    });
  });

  test('deleting an event over the v2 API deletes its result and its history', async () => {
    await v2.post(EVENTS, eventOf('old-2', 'disk'));
    expect(await v2.delete(`${EVENTS}/old-2/disk`)).toMatchObject({ status: 204, body: undefined });
    expect(await v2.delete(`${EVENTS}/old-2/disk`)).toMatchObject({ status: 404, body: { code: 2 } });
    expect(await v1('GET', '/results/old-2/disk')).toBe(404);
    expect((await v2.get('/namespaces/default/entities/old-2')).status).toBe(200);
  });

  test('secrets in a check are redacted, and stay stored when the redacted event is put back', async () => {
    const entity = { metadata: { name: 'secret-1' }, redact: ['token'] };
    await v2.post(EVENTS, { ...eventOf('secret-1', 'cpu', { api_key: 'hush', token: 'hush' }), entity });
    const { body } = await v2.get(`${EVENTS}/secret-1/cpu`);
    expect(body).toMatchObject({ check: { api_key: 'REDACTED', token: 'REDACTED' } });
    await v2.put(`${EVENTS}/secret-1/cpu`, body);
    await v2.patch('/namespaces/default/entities/secret-1', { redact: null });
    expect((await v2.get(`${EVENTS}/secret-1/cpu`)).body).toMatchObject({
      check: { api_key: 'REDACTED', token: 'hush', occurrences: 2 },
    });
  });
});
