/** @module-tag slow */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { builtProgram } from '../support/built-programs.ts';
import { byKey } from '../support/console-rig.ts';
import { SCENE_EVENTS } from '../support/console-scene.ts';
import { anEventRow } from '../support/feed-rows.ts';
import { startConsole, startSceneBackend } from '../support/real-console.ts';

const PROGRAM = builtProgram('mon');

const CLEAN = { alternate: false, cursorHidden: false, paste: false, focus: false, mouse: false, synchronized: false };

describe('the console in terminals of each type', () => {
  test.each(['xterm-256color', 'screen-256color', 'tmux-256color', 'linux'])(
    'the console on a terminal of type %s draws whole frames, never erases the screen, and restores it on exit',
    async (TERM) => {
      const backend = await startSceneBackend();
      await using pty = startConsole(['--backend', backend.url, '--mouse'], { TERM });
      await pty.waitForText('12 of 12 events shown');
      expect(pty.screen.modes).toMatchObject({ alternate: true, mouse: true });
      pty.write('jj?');
      await pty.waitForText('mon: key bindings');
      pty.write('q:set mouse off\r');
      await pty.waitFor(() => !pty.screen.modes.mouse, 'the mouse to be given back');
      pty.write(':set mouse on\r');
      await pty.waitFor(() => pty.screen.modes.mouse, 'the mouse to be taken');
      expect(pty.screen.output).not.toMatch(/\u001B\[[23]J/);
      const begun = pty.screen.output.split('\u001B[?2026h').length;
      await vi.waitFor(() => expect(pty.screen.output.split('\u001B[?2026l').length).toBeGreaterThanOrEqual(begun));
      pty.write('q');
      expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });
      await vi.waitFor(() => expect(pty.screen.modes).toEqual(CLEAN));
    },
  );

  test.each([
    { name: 'TERM=dumb', options: [], env: { TERM: 'dumb' } },
    { name: '--screen-reader', options: ['--screen-reader'], env: {} },
    { name: 'INK_SCREEN_READER', options: [], env: { INK_SCREEN_READER: 'true' } },
  ])(
    '$name makes the console print sentences without any escape sequence',
    async ({ options, env }: { options: readonly string[]; env: Readonly<Record<string, string>> }) => {
      const backend = await startSceneBackend();
      await using pty = startConsole(['--backend', backend.url, ...options], env);
      await pty.waitForText('Connected: 6 critical, 4 warning, 1 unknown, 1 silenced.');
      pty.write('next\r');
      await pty.waitForText('1 of 12: critical: postgres-repl on db-014');
      (await backend.connection(0)).send({
        type: 'changes',
        seq: 2,
        time: Date.now(),
        rows: { events: { 'ntp-001.eu-west-1/ntp-drift': null } },
      });
      await pty.waitForText('resolved: ntp-drift on ntp-001.eu-west-1');
      pty.write('quit\r');
      expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });
      expect(pty.screen.output).not.toContain('\u001B');
    },
  );
});

describe('the bell', () => {
  test('the bell rings for new critical events, with a desktop notification if it is requested', async () => {
    const backend = await startSceneBackend();
    await using pty = startConsole(['--backend', backend.url, '--notify']);
    await pty.waitForText('12 of 12 events shown');
    expect(pty.screen.bells).toBe(0);
    const rows = byKey(['new-1', 'new-2'].map((client) => anEventRow({ client, check: 'disk' })));
    (await backend.connection(0)).send({ type: 'changes', seq: 2, time: Date.now(), rows: { events: rows } });
    await pty.waitFor(() => pty.screen.bells === 1, 'one bell');
    expect(pty.screen.output).toContain('\u001B]9;critical: disk on new-1\u0007');
  });
});

test('the console on a terminal that was blocked for three seconds then draws only the current state', async () => {
  const backend = await startSceneBackend();
  await using pty = startConsole(['--backend', backend.url]);
  await pty.waitForText('12 of 12 events shown');
  pty.stall();
  const connection = await backend.connection(0);
  // Every row changes many times, which causes far more output than the buffer of a pseudo-terminal holds.
  const stop = Date.now() + 3000;
  for (let seq = 2; Date.now() < stop; seq += 1) {
    const rows = SCENE_EVENTS.map((row) => anEventRow({ ...row, occurrences: seq, output: `round ${String(seq)}` }));
    connection.send({ type: 'changes', seq, time: Date.now(), rows: { events: byKey(rows) } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  connection.send({
    type: 'changes',
    seq: 100_000,
    time: Date.now(),
    rows: { events: byKey([anEventRow({ client: 'last', check: 'word', since: 4_000_000_000 })]) },
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const before = pty.screen.output.length;
  pty.flow();
  await pty.waitForText('13 of 13 events shown');
  // Only one or two frames may be waiting, not the output of three seconds.
  expect(pty.screen.output.length - before).toBeLessThan(60_000);
});

test('mon watch in a pipe writes each line at once and ends with its reader', async () => {
  const backend = await startSceneBackend();
  const child = spawn(
    process.execPath,
    [PROGRAM, 'watch', '--json', '--filter', 'status=crit', '--backend', backend.url],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const first = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  expect(JSON.parse(first.split('\n')[0] ?? '')).toMatchObject({ change: 'critical', initial: true });
  child.stdout.destroy();
  const rows = byKey([anEventRow({ client: 'new', check: 'disk' })]);
  (await backend.connection(0)).send({ type: 'changes', seq: 2, time: Date.now(), rows: { events: rows } });
  const [stderr, code] = await Promise.all([
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});
