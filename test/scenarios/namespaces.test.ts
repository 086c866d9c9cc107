import { expect, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { openV2Client } from '../../shared/client/v2-client.ts';
import { administratorOf } from '../support/administrator.ts';
import { asking, basic } from '../support/asking.ts';
import { startConsole } from '../support/real-console.ts';
import { startBackend } from '../support/running-backend.ts';

async function failing(api: ApiClient, source: string, name: string): Promise<void> {
  await api.submitResult({ source, name, status: 2, output: 'it is broken' });
}

async function silencedIds(api: ApiClient): Promise<readonly string[]> {
  return (await api.silenced()).map(({ id }) => id);
}

test('a console whose API key is limited to one namespace says so and can switch to that namespace', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const asRoot = asking(backend.url, basic('root', 'long enough'));
  await asRoot('POST', '/api/core/v2/namespaces', { name: 'team-a' });
  const { body } = await asRoot('POST', '/api/core/v2/apikeys', { username: 'root', namespace: 'team-a' });
  const { key } = body as { readonly key: string };
  await failing(
    openApiClient({ backend: backend.url, env: { MON_API_KEY: key }, namespace: 'team-a' }),
    'web-1',
    'disk',
  );

  await using pty = startConsole(['--backend', backend.url], { MON_API_KEY: key });
  await pty.waitForText('limited to the namespace team-a');
  pty.write(':ns team-a\r');
  await pty.waitForText('1 of 1 event shown');
  pty.write(':ns all\r');
  await pty.waitForText('NAMESPACE');
  expect(pty.screen.text).toMatch(/team-a +web-1 /);
});

test('a console switches between namespaces and acts in the namespace of the row', async () => {
  await using backend = await startBackend();
  const headers = administratorOf(backend.url);
  await openV2Client({ backend: backend.url, headers }).create(['namespaces'], { name: 'team-a' });
  const own = openApiClient({ backend: backend.url, headers });
  const team = openApiClient({ backend: backend.url, headers, namespace: 'team-a' });
  await failing(own, 'web-1', 'disk');
  await failing(team, 'web-1', 'disk');
  await failing(team, 'team-2', 'ping');

  await using pty = startConsole(['--backend', backend.url]);
  await pty.waitForText('1 of 1 event shown');
  pty.write(':ns nowhere\r');
  await pty.waitForText('could not switch to nowhere: no such namespace');

  pty.write(':ns team-a\r');
  await pty.waitForText('ns team-a');
  await pty.waitForText('2 of 2 events shown');
  pty.write('/ping\r');
  await pty.waitForText('1 of 2 events shown');
  pty.write('s');
  await pty.waitForText('Silence 1 event');
  pty.write('move\u0013');
  await pty.waitForText('1 silence created');
  expect(await silencedIds(team)).toEqual(['client:team-2:ping']);
  expect(await silencedIds(own)).toEqual([]);
  pty.write(':ns default\r');
  await pty.waitForText(/^ 0 of 1 event shown/m);

  pty.write(':ns all\r');
  await pty.waitForText('ns all');
  await pty.waitForText('NAMESPACE');
  pty.write(':filter namespace=default client=web-1\r');
  await pty.waitForText(/^ 1 of 3 events shown/m);
  pty.write('\r');
  await pty.waitForText('it is broken');
  pty.write('q:filter client=web-1\r');
  await pty.waitForText(/^ 2 of 3 events shown/m);
  pty.write('as');
  await pty.waitForText('Silence 2 events');
  pty.write('swap\u0013');
  await pty.waitForText('2 silences created');
  await vi.waitFor(async () => expect(await silencedIds(own)).toEqual(['client:web-1:disk']));
  expect(await silencedIds(team)).toEqual(['client:team-2:ping', 'client:web-1:disk']);
  pty.write('z');
  await pty.waitForText('web-1@team-a / disk');
  pty.write('y');
  await pty.waitForText('2 changes undone');
  expect([...(await silencedIds(own)), ...(await silencedIds(team))]).toEqual(['client:team-2:ping']);
  pty.write(':filter namespace=team-a client=web-1\r');
  await pty.waitForText(/^ 1 of 3 events shown/m);
  pty.write('r');
  await pty.waitForText('web-1@team-a/disk');
  pty.write('y');
  await pty.waitForText('1 event resolved');
  await vi.waitFor(async () => expect(await team.event('web-1', 'disk')).toBeUndefined());
  expect(await own.event('web-1', 'disk')).toBeDefined();

  pty.write(':clients team-2\r');
  await pty.waitForText('team-2@team-a');
  pty.write('\r');
  await pty.waitForText(/ping +.*it is broken/);
  pty.write('q:silences\r');
  await pty.waitForText('team-2@team-a / ping');
  pty.write('u');
  await pty.waitForText('End 1 silence');
  pty.write('y');
  await pty.waitForText('1 silence ended');
  expect(await silencedIds(team)).toEqual([]);
});
