import { expect, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';

test('monctl lists, silences and resolves an event on a real backend', async () => {
  await using backend = await startBackend();
  const monctl = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await runMonctl(line.split(' '), { MON_BACKEND: backend.url });
    return `${String(code)} ${stdout}${stderr}`.trimEnd();
  };
  const keys = async (line: string): Promise<string[]> => {
    const { stdout } = await runMonctl([...line.split(' '), '-o', 'json'], { MON_BACKEND: backend.url });
    const events: { client: { name: string }; check: { name: string } }[] = JSON.parse(stdout);
    return events.map(({ client, check }) => `${client.name}/${check.name}`);
  };
  const api = openApiClient({ backend: backend.url, env: {} });
  await api.submitResults([
    { source: 'web-001', name: 'disk', status: 1, output: '91 % used' },
    { source: 'web-002', name: 'http', status: 2, output: 'timeout' },
    { source: 'web-003', name: 'http', status: 0, output: 'ok' },
  ]);
  expect(await keys('event list')).toEqual(['web-002/http', 'web-001/disk']);

  expect(await monctl('silenced create --client web-002 --check http --expire-on-resolve --creator alice')).toBe(
    '0 silenced client:web-002:http until it resolves\nit matches 1 event now',
  );
  expect(await keys('event list --silenced')).toEqual(['web-002/http']);
  expect(await monctl('silenced list --client web-002')).toMatch(
    /^0 SILENCE .*\nclient:web-002:http +never +yes +0 +alice$/,
  );

  expect(await monctl('event resolve web-002 http')).toMatch(/^0 resolving web-002\/http, requested at /);
  expect(await keys('event list')).toEqual(['web-001/disk']);
  expect(await monctl('silenced list')).toBe('0 no silenced entries');

  expect(await monctl('silenced create --subscription client:web-001')).toMatch(/^0 silenced client:web-001:\*/);
  expect(await monctl('silenced delete client:web-001:*')).toBe('0 deleted client:web-001:*');
  expect(await monctl('silenced delete client:web-001:*')).toMatch(/^3 /);
  expect(await monctl('silenced create --check no/name')).toMatch(/^2 monctl: check: /);
  expect(await monctl('version')).toMatch(/^0 monctl +1\.0\.0\nbackend +1\.0\.0 \(API level 1\.9\.0\) at http/);
});

test('monctl without credentials says what a backend with authentication requires', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'alice', password: 'p:w' } } });
  const list = ['event', 'list', '-o', 'json', '--backend', backend.url];
  expect(await runMonctl(list)).toMatchObject({ code: 4, stdout: '' });
  expect(await runMonctl(list, { MON_CREDENTIALS: 'alice:wrong' })).toMatchObject({ code: 4, stdout: '' });
  expect(await runMonctl(list, { MON_CREDENTIALS: 'alice:p:w' })).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});
