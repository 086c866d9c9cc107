import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';

let backend: RunningBackend;

const monctl = (...line: readonly string[]): Promise<MonctlRun> => runMonctl(line, { MON_BACKEND: backend.url });

beforeAll(async () => {
  backend = await startBackend({
    settings: {
      checks: {
        disk: { command: 'df', interval: 300, subscribers: ['db'] },
        http: { command: 'get', interval: 30, subscribers: ['web'] },
      },
    },
  });
  const api = openApiClient({ backend: backend.url, env: {} });
  await api.saveClient({ name: 'db-1', address: '192.0.2.7', subscriptions: ['db'], timestamp: NOW });
  await api.submitResult({ source: 'db-1', name: 'disk', status: 2, output: '/ full', aggregate: 'stores' });
  await api.submitResult({ source: 'web-1', name: 'http', status: 0, output: 'fine', aggregate: 'fronts' });
  await api.silence({ check: 'disk', creator: 'alice', reason: 'planned', expire: 600 });
  await api.silence({ subscription: 'web', creator: 'bob' });
});
afterAll(() => backend[Symbol.asyncDispose]());

test.each([
  ['client', 'subscriptions=db', ['db-1']],
  ['client', '!db-1', ['web-1']],
  ['result', 'status>=warn or output~fi?e', ['db-1', 'web-1']],
  ['result', 'client~web-* !status=ok', []],
  ['silenced', 'creator=alice left>1m', ['*:disk']],
  ['silenced', '!left>1m', ['web:*']],
  ['check', 'interval>=5m', ['disk']],
  ['aggregate', 'ok<80', ['stores']],
  ['dead-letter', 'tries>3', []],
])('monctl %s list -q %s lists the objects that the filter matches', async (noun, filter, expected) => {
  const { code, stdout } = await monctl(noun, 'list', '-q', filter, '-o', 'json');
  const listed = JSON.parse(stdout) as { id?: string; name?: string; client?: string }[];
  expect([code, listed.map(({ id, name, client }) => id ?? name ?? client)]).toEqual([0, expected]);
});

test('monctl rejects a filter with an unknown field and points out its position', async () => {
  const { code, stderr } = await monctl('client', 'list', '-q', 'db status=crit');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--filter: there is no field "status": use client, .*\n {2}db status=crit\n {2} {3}\^\n$/),
  ]);
});
