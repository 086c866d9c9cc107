import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { builtProgram, builtPrograms } from '../support/built-programs.ts';
import { openApiClient } from '../../shared/client/api-client.ts';
import { Pty } from '../support/pty.ts';
import { startConsole, startSceneBackend } from '../support/real-console.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const PROGRAM = builtProgram('mon');

describe('the real console in a real pseudo-terminal', () => {
  test('the console shows events, creates a silence, survives a lost connection and restores the terminal', async () => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url]);
    await pty.waitForText('LIVE 4,812 results/s');
    await pty.waitForText('12 of 12 events shown');
    expect(pty.screen.modes).toMatchObject({ alternate: true, cursorHidden: true, paste: true });

    pty.write('jjj');
    await pty.waitForText(/^> .*web-011/m);
    pty.write('/disk\r');
    await pty.waitForText(/^ 2 of 12 events shown/m);
    pty.write('\u001B');
    await pty.waitForText('12 of 12 events shown');

    pty.write('s');
    await pty.waitForText('Reason *');
    pty.write('disk swap\u0013');
    await pty.waitForText('1 silence created');

    pty.resize(80, 24);
    await pty.waitForText(/^ scripted ● LIVE/m);
    backend.connections[0]?.cut();
    await pty.waitFor(() => backend.connections.length === 2, 'a second connection');
    await pty.waitForText('LIVE');

    pty.write('q');
    expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });
    expect(pty.screen.modes).toEqual({
      alternate: false,
      cursorHidden: false,
      paste: false,
      focus: false,
      mouse: false,
      synchronized: false,
    });
  });

  test('the console stores its compiled code in a cache for the next start', async () => {
    // The compile cache is beside the program. A copy of the program gets a cache of its own, which no other test
    // writes.
    const folder = await mkdtemp(join(builtPrograms(), 'own-'));
    for (const file of ['mon.js', 'mon-program.js']) await copyFile(join(builtPrograms(), file), join(folder, file));
    await using pty = new Pty(process.execPath, [join(folder, 'mon.js'), '--backend', 'http://127.0.0.1:9'], {
      cwd: ROOT,
    });
    await pty.waitForText('connecting to');
    pty.write('q');
    await pty.exited;
    expect(await readdir(join(folder, '.compile-cache'))).toHaveLength(1);
  });

  test.each([
    { name: 'SIGTERM', end: (pty: Pty) => pty.kill('SIGTERM'), exit: { exitCode: 0, signal: 15 } },
    { name: 'ctrl-c, twice', end: (pty: Pty) => pty.write('\u0003\u0003'), exit: { exitCode: 0, signal: 0 } },
  ])('the console restores the terminal when it ends by $name', async ({ end, exit }) => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url]);
    await pty.waitForText('12 of 12 events shown');
    end(pty);
    expect(await pty.exited).toEqual(exit);
    // The last bytes may be read after the program has ended.
    await vi.waitFor(() =>
      expect(pty.screen.modes).toMatchObject({ alternate: false, cursorHidden: false, paste: false, focus: false }),
    );
  });

  test.each(['screen-256color', 'tmux-256color', 'linux', 'vt100'])(
    'the console in a terminal of type %s shows everything and restores the terminal on exit',
    async (name) => {
      const backend = await startSceneBackend();
      await using pty = startConsole(['--backend', backend.url], { TERM: name });
      await pty.waitForText('12 of 12 events shown');
      await pty.waitForText(/^> .*CRIT {2}db-014/m);
      pty.write('q');
      expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });
      await vi.waitFor(() => {
        const { alternate, cursorHidden, paste, focus, mouse } = pty.screen.modes;
        expect([alternate, cursorHidden, paste, focus, mouse]).toEqual([false, false, false, false, false]);
      });
    },
  );

  test('the console never erases the whole screen while it runs and draws each frame at once', async () => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url]);
    await pty.waitForText('LIVE 4,812 results/s');
    pty.write('jjkk/http\r');
    await pty.waitForText('3 of 12 events shown');
    expect(pty.screen.output).not.toMatch(/\u001B\[[23]J/);
    const opened = pty.screen.output.split('\u001B[?2026h').length;
    expect(pty.screen.output.split('\u001B[?2026l').length).toBe(opened);
  });

  test('the console writes only the changed cells of a row', async () => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url]);
    await pty.waitForText('LIVE 4,812 results/s');
    const { length } = pty.screen.output;
    pty.write('j');
    await pty.waitForText('row 2/12');
    const written = pty.screen.output.slice(length);
    // The adjacent texts `/12` and `of 12 events shown` are unchanged, so the console does not write them again.
    expect(written).toMatch(/row 2(?!\/12)/);
    expect(written).not.toContain('events shown');
  });

  test('the console uses no colors when NO_COLOR is set', async () => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url], { NO_COLOR: '1' });
    await pty.waitForText('LIVE 4,812 results/s');
    expect(pty.screen.output).not.toMatch(/\u001B\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)m/);
  });
});

test('the console with a real backend shows, silences, unsilences and resolves a failing check', async () => {
  await using backend = await startDaemon({ stateDir: await tempDir() });
  const api = openApiClient({ backend: backend.url });
  await api.submitResult({ source: 'web-1', name: 'http', status: 2, output: 'connect timeout\nafter 10 s' });
  await api.submitResult({ source: 'db-1', name: 'disk', status: 1, output: '91% used' });

  await using pty = startConsole(['--backend', backend.url]);
  await pty.waitForText(/^> .*CRIT {2}web-1/m);
  await pty.waitForText(/^ {3}! WARN {2}db-1/m);

  pty.write('s');
  await pty.waitForText('Silence web-1/http');
  pty.write('CHG-1\u0013');
  await pty.waitForText(/^> {2}S CRIT {2}web-1 .*59m left {2}connect timeout/m);
  expect(await api.silenced()).toMatchObject([
    { id: 'client:web-1:http', reason: 'CHG-1', expire_on_resolve: true, creator: expect.stringMatching(/^alice@/) },
  ]);

  pty.write('uy');
  await pty.waitForText(/^> {2}✗ CRIT {2}web-1/m);
  expect(await api.silenced()).toEqual([]);

  pty.write('\r');
  await pty.waitForText('after 10 s');
  pty.write('ry');
  await pty.waitForText('event resolved: showing its last state');
  expect((await api.events()).map(({ client }) => client.name)).toEqual(['db-1']);
});

test('a silence that the console creates covers the events that its preview counted, and z ends the silence', async () => {
  await using backend = await startDaemon({ stateDir: await tempDir() });
  const api = openApiClient({ backend: backend.url });
  for (const source of ['web-1', 'web-2', 'db-1']) {
    await api.submitResult({ source, name: 'disk', status: 2, output: '91% used' });
  }
  await api.submitResult({ source: 'web-1', name: 'cpu', status: 1, output: 'load 40' });
  const silenced = async (): Promise<number> => (await api.events()).filter((event) => event.silenced).length;

  await using pty = startConsole(['--backend', backend.url]);
  await pty.waitForText('4 of 4 events shown');
  pty.write('/disk\r');
  await pty.waitForText('3 of 4 events shown');

  // Move the focus from the reason back to the scope, and select this check on all clients.
  pty.write('sCHG-1\u001B[Z\u001B[Z\u001B[Z\u001B[Z\u001B[C');
  await pty.waitForText('matches now: 3 events ✗ 3');
  pty.write('\u0013');
  await pty.waitForText('1 silence created: check:disk');
  expect(await silenced()).toBe(3);

  pty.write('z');
  await pty.waitForText('ends the silence check:disk');
  pty.write('y');
  await pty.waitForText('1 change undone');
  expect(await silenced()).toBe(0);

  pty.write('K');
  await pty.waitForText('1 event acknowledged');
  const acknowledged = async (): Promise<number> => (await api.events()).filter((event) => event.acknowledged).length;
  expect(await acknowledged()).toBe(1);
  expect(await silenced()).toBe(0);
  pty.write('z');
  await pty.waitForText('removes the acknowledgement of');
  pty.write('y');
  await pty.waitForText('1 change undone');
  expect(await acknowledged()).toBe(0);
});

describe('the console without a terminal or with a wrong command line', () => {
  test.each([
    { name: 'a pipe', options: [], code: 2, says: 'mon watch' },
    { name: 'an unknown option', options: ['--nonsense'], code: 2, says: '--nonsense' },
    { name: 'an invalid backend URL', options: ['--backend', 'nowhere at all'], code: 2, says: 'http://' },
    { name: 'an argument', options: ['events'], code: 2, says: 'mon --help' },
  ])('the console does not start with $name and prints a remedy', async ({ options, code, says }) => {
    const outcome = await run(options);
    expect(outcome).toEqual({ code, output: '', errors: expect.stringContaining(says) });
  });

  test('mon --version and mon --help print their text and exit', async () => {
    const [version, help] = await Promise.all([run(['--version']), run(['--help'])]);
    expect(version).toMatchObject({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('--read-only') });
  });
});

async function run(options: readonly string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output, errors };
}
