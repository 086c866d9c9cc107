import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { builtProgram } from '../support/built-programs.ts';
import { startConsole } from '../support/real-console.ts';
import { startBackend } from '../support/running-backend.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = builtProgram('mon');

async function failing(api: ApiClient, source: string, name: string): Promise<void> {
  await api.submitResult({ source, name, status: 2, output: 'it is broken' });
}

async function silencedIds(api: ApiClient): Promise<readonly string[]> {
  return (await api.silenced()).map(({ id }) => id);
}

test('one console silences the same event at two real backends and undoes the silences at both', async () => {
  await using prodBackend = await startBackend();
  await using labBackend = await startBackend();
  const prod = openApiClient({ backend: prodBackend.url });
  const lab = openApiClient({ backend: labBackend.url });
  await failing(prod, 'web-1', 'disk');
  await failing(lab, 'web-1', 'disk');
  await failing(lab, 'lab-2', 'ping');
  const config = join(await tempDir(), 'console.yml');
  await writeFile(
    config,
    `contexts:\n  prod: { backend: '${prodBackend.url}' }\n  lab: { backend: '${labBackend.url}' }\n`,
  );

  await using pty = startConsole(['--config', config, '--context', 'all']);
  await pty.waitForText('2 of 2 live');
  await pty.waitForText('3 of 3 events shown');
  pty.write(':filter client=web-1\r');
  await pty.waitForText(/^ 2 of 3 events shown/m);
  pty.write('as');
  await pty.waitForText('Silence 2 events');
  pty.write('disk swap\u0013');
  await pty.waitForText('2 silences created');
  expect(await silencedIds(prod)).toEqual(['client:web-1:disk']);
  expect(await silencedIds(lab)).toEqual(['client:web-1:disk']);

  pty.write('z');
  await pty.waitForText('web-1@lab / disk');
  pty.write('y');
  await pty.waitForText('2 changes undone');
  expect([...(await silencedIds(prod)), ...(await silencedIds(lab))]).toEqual([]);

  pty.write(':filter backend=lab client=web-1\r');
  await pty.waitForText(/^ 1 of 3 events shown/m);
  pty.write('r');
  await pty.waitForText('web-1@lab/disk');
  pty.write('y');
  await pty.waitForText('1 event resolved');
  await vi.waitFor(async () => expect(await lab.event('web-1', 'disk')).toBeUndefined());
  expect(await prod.event('web-1', 'disk')).toBeDefined();
});

test('screen-reader mode and mon watch require a single backend', async () => {
  const config = join(await tempDir(), 'console.yml');
  await writeFile(config, `contexts:\n  lab: { backend: 'http://127.0.0.1:9' }\n`);
  const run = promisify(execFile)(process.execPath, [PROGRAM, 'watch', '--config', config, '--context', 'all']);
  await expect(run).rejects.toThrow('choose one with --context');
});
