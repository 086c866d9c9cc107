import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer } from '../support/raw-http.ts';
import type { RunningBackend } from '../support/running-backend.ts';
import {
  ANSIBLE,
  ask,
  EXPORTER,
  NAGSTAMON,
  PLUGIN,
  PYSENSU,
  SENSU_CLI,
  UCHIWA,
  type ClientProgram,
} from './client-requests.ts';
import { NOW, startScene } from './client-scene.ts';
import {
  aggregateCheckType,
  aggregateClientType,
  aggregateResultsType,
  checkType,
  clientType,
  eventType,
  historyType,
  infoType,
  nameOnlyType,
  resultType,
  silencedType,
  stashType,
  summaryType,
} from './client-types.ts';

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startScene();
});
afterAll(() => backend[Symbol.asyncDispose]());

const as = (client: ClientProgram, method: string, target: string, body?: unknown): Promise<Answer> =>
  ask(backend.url, client, method, target, body);
const list = <T extends z.ZodType>(item: T): z.ZodArray<T> => z.array(item).min(1);

/**
 * A reading request of the client checklist: the client programs that send it, its paths, and the schema that they can
 * decode.
 */
interface Read {
  readonly row: string;
  readonly by: readonly ClientProgram[];
  readonly targets: readonly string[];
  readonly body?: unknown;
  readonly type: z.ZodType;
}

/**
 * Tests of the requests in the client checklist that read, in its order (clients 2), with every client program that
 * sends them.
 */
describe.each<Read>([
  { row: 'GET /info', by: [UCHIWA, SENSU_CLI, PLUGIN, PYSENSU], targets: ['/info'], type: infoType },
  {
    row: 'GET /events',
    by: [UCHIWA, SENSU_CLI, PLUGIN, PYSENSU, NAGSTAMON],
    targets: ['/events', '/events?limit=1000&offset=0', '/events?limit=&offset='],
    type: list(eventType),
  },
  { row: 'GET /events/:client', by: [SENSU_CLI, PYSENSU], targets: ['/events/web-1'], type: list(eventType) },
  {
    row: 'GET /events/:client/:check',
    by: [PLUGIN, SENSU_CLI, PYSENSU, NAGSTAMON],
    targets: ['/events/web-1/disk', '/events/router-1/bgp', '/events/sensu-api/custom'],
    type: eventType,
  },
  {
    row: 'GET /clients',
    by: [UCHIWA, SENSU_CLI],
    targets: ['/clients', '/clients?limit=1000&offset=0', '/clients?limit=2&offset=1', '/clients?limit=&offset='],
    type: list(clientType),
  },
  { row: 'GET /clients', by: [PYSENSU], targets: ['/clients'], body: { limit: 1 }, type: list(clientType) },
  {
    row: 'GET /clients/:c',
    by: [UCHIWA, SENSU_CLI, PYSENSU],
    targets: ['/clients/web-1', '/clients/router-1'],
    type: clientType,
  },
  {
    row: 'GET /clients/:c/history',
    by: [UCHIWA, SENSU_CLI, PYSENSU],
    targets: ['/clients/web-1/history', '/clients/sensu-api/history'],
    type: list(historyType),
  },
  { row: 'GET /checks', by: [UCHIWA, SENSU_CLI, PYSENSU], targets: ['/checks'], type: list(checkType) },
  { row: 'GET /checks/:n', by: [UCHIWA, PYSENSU], targets: ['/checks/disk', '/checks/http'], type: checkType },
  {
    row: 'GET /results',
    by: [PLUGIN, EXPORTER, PYSENSU],
    targets: ['/results', '/results?limit=500&offset=0'],
    type: list(resultType),
  },
  { row: 'GET /results/:c', by: [PYSENSU], targets: ['/results/web-1', '/results/router-1'], type: list(resultType) },
  { row: 'GET /results/:c/:k', by: [PYSENSU], targets: ['/results/router-1/uptime'], type: resultType },
  {
    row: 'GET /aggregates',
    by: [UCHIWA, SENSU_CLI, PLUGIN, PYSENSU],
    targets: ['/aggregates'],
    type: list(nameOnlyType),
  },
  {
    row: 'GET /aggregates/:n',
    by: [PLUGIN, SENSU_CLI],
    targets: ['/aggregates/app', '/aggregates/app?max_age=30', '/aggregates/app?limit=&offset='],
    type: summaryType,
  },
  { row: 'GET /aggregates/:n', by: [PYSENSU], targets: ['/aggregates/app'], body: { max_age: 60 }, type: summaryType },
  {
    row: 'GET /aggregates/:n/checks',
    by: [UCHIWA],
    targets: ['/aggregates/app/checks'],
    type: list(aggregateCheckType),
  },
  {
    row: 'GET /aggregates/:n/clients',
    by: [UCHIWA],
    targets: ['/aggregates/app/clients'],
    type: list(aggregateClientType),
  },
  {
    row: 'GET /aggregates/:n/results/:severity',
    by: [UCHIWA],
    targets: ['/aggregates/app/results/critical'],
    type: list(aggregateResultsType),
  },
  {
    row: 'GET /silenced',
    by: [UCHIWA, SENSU_CLI, PYSENSU],
    targets: ['/silenced', '/silenced?limit=&offset='],
    type: list(silencedType),
  },
  { row: 'GET /silenced', by: [ANSIBLE], targets: ['/silenced'], body: { check: 'bgp' }, type: list(silencedType) },
  {
    row: 'GET /silenced/checks/:k and /silenced/subscriptions/:s',
    by: [SENSU_CLI],
    targets: ['/silenced/checks/disk?limit=&offset=', '/silenced/subscriptions/client:web-1?limit=&offset='],
    type: list(silencedType),
  },
  {
    row: 'GET /stashes',
    by: [UCHIWA, SENSU_CLI, PLUGIN, PYSENSU],
    targets: ['/stashes', '/stashes?limit=&offset='],
    type: list(stashType),
  },
  {
    row: 'GET /stashes/:path and /stash/:path',
    by: [PLUGIN, SENSU_CLI, PYSENSU],
    targets: ['/stash/silence/web-1', '/stash/silence/web-1/disk', '/stashes/silence/web-1'],
    type: z.looseObject({ timestamp: z.int() }),
  },
])('$row', ({ by, targets, body, type }) => {
  test.each(targets)('GET %s returns 200 with a body that clients of Sensu Core can decode', async (target) => {
    for (const client of by) {
      const answer = await as(client, 'GET', target, body);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(type.safeParse(answer.body).error).toBeUndefined();
    }
  });
});

describe('GET of an object that does not exist', () => {
  test.each(['/events/nobody', '/results/nobody', '/clients/nobody/history', '/silenced/checks/nope'])(
    'GET %s of an unknown object returns an empty list',
    async (target) => {
      expect(await as(SENSU_CLI, 'GET', target)).toMatchObject({ status: 200, body: [] });
    },
  );

  test.each([
    '/events/web-1/load',
    '/clients/nobody',
    '/checks/nope',
    '/checks/local',
    '/results/web-1/nope',
    '/aggregates/nope',
    '/aggregates/nope/results/ok',
    '/silenced/ids/no:entry',
    '/stashes/nope',
    '/stash/silence/all/disk',
  ])('GET %s of an unknown object returns 404', async (target) => {
    expect((await as(SENSU_CLI, 'GET', target)).status).toBe(404);
  });

  test.each(['/aggregates/nope/clients', '/aggregates/nope/checks'])(
    'GET %s of an unknown aggregate returns 404 with an empty list',
    async (target) => {
      expect(await as(UCHIWA, 'GET', target)).toMatchObject({ status: 404, body: [] });
    },
  );

  test('GET /aggregates/:n/results/:severity with an invalid severity returns 400', async () => {
    expect((await as(UCHIWA, 'GET', '/aggregates/app/results/bad')).status).toBe(400);
  });
});

describe('GET /health', () => {
  test.each(['/health', '/health?consumers=1&messages=100', '/health?consumers=&messages=', '/health?consumers=x'])(
    'GET %s on a healthy backend returns 204 without a body',
    async (target) => {
      expect(await as(SENSU_CLI, 'GET', target)).toMatchObject({ status: 204, text: '' });
      expect((await as(PYSENSU, 'GET', target, { consumers: 2, messages: 0 })).status).toBe(204);
    },
  );

  test('GET /health returns 412 with one sentence for each problem', async () => {
    const answer = await as(SENSU_CLI, 'GET', '/health?consumers=2');
    expect(answer.status).toBe(412);
    expect(z.array(z.string()).length(2).safeParse(answer.body).error).toBeUndefined();
  });
});

test('GET /checks lists no standalone checks', async () => {
  const checks = list(checkType).parse((await as(UCHIWA, 'GET', '/checks')).body);
  expect(checks.map(({ name }) => name)).toEqual(['disk', 'http', 'ping']);
});

test('GET /results returns integers for a result with few attributes, as the Prometheus exporter decodes them', async () => {
  const { check } = resultType.parse((await as(EXPORTER, 'GET', '/results/router-1/bgp')).body);
  expect(check).toMatchObject({ status: 1, issued: NOW, executed: NOW, output: 'session down', history: [1] });
  expect(check).not.toHaveProperty('interval');
});

// Only Sensu Enterprise has these routes. Uchiwa interprets an error as the absence of metrics (clients 2).
test.each(['clients', 'events', 'keepalives_avg_60', 'check_requests', 'results'])(
  'GET /metrics/%s returns metric points, or 404 with a plain text',
  async (name) => {
    const { status, body } = await as(UCHIWA, 'GET', `/metrics/${name}`);
    const points = z.object({ points: z.array(z.tuple([z.int(), z.number()])) });
    expect(status === 404 || (status === 200 && points.safeParse(body).success)).toBe(true);
  },
);
