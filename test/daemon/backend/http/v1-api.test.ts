import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../shared/api/endpoint.ts';
import { V1_API } from '../../../../shared/api/v1.ts';
import { asking, type Ask } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const FAILING = { source: 'web-1', name: 'disk', output: 'full', status: 2, aggregate: 'app' };

/** The requests to each endpoint, in order: deletions come last. */
const EXAMPLES: Readonly<Record<string, readonly [target: string, body?: unknown]>> = {
  submitResult: ['/results', FAILING],
  saveClient: ['/clients', { name: 'own', address: '10.0.0.1' }],
  events: ['/events?limit=5'],
  eventsOfClient: ['/events/web-1'],
  event: ['/events/web-1/disk'],
  incidents: ['/incidents'],
  incidentsOfClient: ['/incidents/web-1'],
  incident: ['/incidents/web-1/disk'],
  results: ['/results'],
  resultsOfClient: ['/results/web-1'],
  result: ['/results/web-1/disk'],
  silence: ['/silenced', { subscription: 'web', check: 'disk', expire: 60 }],
  silenced: ['/silenced'],
  silencedOfCheck: ['/silenced/checks/disk'],
  silencedOfSubscription: ['/silenced/subscriptions/web'],
  silencedEntry: ['/silenced/ids/web:disk'],
  clearSilenced: ['/silenced/clear', { id: 'web:disk' }],
  clients: ['/clients'],
  client: ['/clients/web-1'],
  clientHistory: ['/clients/web-1/history'],
  checks: ['/checks'],
  check: ['/checks/load'],
  requestCheck: ['/request', { check: 'load' }],
  aggregates: ['/aggregates'],
  aggregate: ['/aggregates/app?max_age=60'],
  aggregateClients: ['/aggregates/app/clients'],
  aggregateChecks: ['/aggregates/app/checks'],
  aggregateResults: ['/aggregates/app/results/critical'],
  deleteAggregate: ['/aggregates/app'],
  saveStash: ['/stashes', { path: 'a/b', content: { x: 1 } }],
  saveStashAt: ['/stashes/c', { x: 1 }],
  saveStashAgain: ['/stash/d', { x: 1 }],
  stashes: ['/stashes'],
  stash: ['/stashes/a/b'],
  stashAgain: ['/stash/a/b'],
  deleteStash: ['/stashes/a/b'],
  deleteStashAgain: ['/stash/c'],
  info: ['/info'],
  health: ['/health?consumers=1'],
  settings: ['/settings'],
  metrics: ['/metrics'],
  resultMetrics: ['/metrics/checks'],
  resolve: ['/resolve', { client: 'web-1', check: 'disk' }],
};

/** Deletions, each with the request that first creates the deleted object. */
const DELETIONS: Readonly<Record<string, readonly [target: string, before: readonly [target: string, body: unknown]]>> =
  {
    resolveEvent: ['/events/web-1/disk', ['/results', FAILING]],
    resolveIncident: ['/incidents/web-1/disk', ['/results', FAILING]],
    deleteResult: ['/results/web-1/disk', ['/results', FAILING]],
    deleteSilenced: ['/silenced/ids/*:disk', ['/silenced', { check: 'disk' }]],
    deleteCheck: ['/checks/disk', ['/results', FAILING]],
    deleteClient: ['/clients/own', ['/clients', { name: 'own', address: '10.0.0.1' }]],
  };

const ENDPOINTS: Readonly<Record<string, Endpoint>> = V1_API;

let backend: RunningBackend;
let ask: Ask;
beforeAll(async () => {
  backend = await startBackend({
    settings: { checks: { load: { command: 'true', interval: 60, subscribers: ['base'] } } },
  });
  ask = asking(backend.url);
});
afterAll(() => backend[Symbol.asyncDispose]());

test('the endpoint table of the v1 API contains exactly the registered routes', async () => {
  const { body } = await ask('GET', '/api/mon/v1/access');
  const { routes } = body as {
    routes: readonly { method: string; url: string; access: unknown; anonymous: boolean }[];
  };
  const registered = routes
    .filter(({ url }) => !/^\/(?:(?:api|auth|version)\b|-\/)/.test(url))
    .map(({ method, url, access, anonymous }) => [`${method} ${url}`, { access, anonymous }]);
  const table = Object.values(V1_API).map(({ method, path, scope: access, isForAnonymous = false }) => [
    `${method} ${path}`,
    { access, anonymous: access !== 'admin' || isForAnonymous },
  ]);
  expect(Object.fromEntries(registered)).toEqual(Object.fromEntries(table));
  expect(registered).toHaveLength(table.length);
});

describe('the endpoints of the v1 API', () => {
  test('every endpoint of the v1 API has an example', () => {
    expect([...Object.keys(EXAMPLES), ...Object.keys(DELETIONS)].toSorted()).toEqual(Object.keys(V1_API).toSorted());
  });

  test.each([
    ...Object.entries(EXAMPLES).map(([name, [target, body]]) => ({ name, target, body, before: undefined })),
    ...Object.entries(DELETIONS).map(([name, [target, before]]) => ({ name, target, body: undefined, before })),
  ])(
    'the endpoint $name of the v1 API responds as the endpoint table defines',
    async ({ name, target, body: sent, before }) => {
      if (before !== undefined) await ask('POST', ...before);
      const endpoint = ENDPOINTS[name];
      const { status, body, text } = await ask(endpoint?.method ?? '', target, sent);
      expect({ status, text }).toEqual({
        status: endpoint?.status,
        text: endpoint?.response === undefined ? '' : text,
      });
      // A list must not be empty, because otherwise no item of it would be validated.
      expect(body).not.toEqual([]);
      expect(endpoint?.response?.safeParse(/metrics$/i.test(name) ? text : body).error).toBeUndefined();
    },
  );
});
