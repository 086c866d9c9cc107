import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSpool } from '../../../daemon/agent/spool.ts';
import { SystemClock } from '../../../daemon/clock/system-clock.ts';
import type { CommandClock, CommandOutcome } from '../../../daemon/command/command-outcome.ts';
import { CommandWatchdog } from '../../../daemon/command/command-watchdog.ts';
import { CommandRunner } from '../../../daemon/command/command-runner.ts';
import { OUTPUT_BYTES_MAX, runCommand } from '../../../daemon/command/run-command.ts';
import { isAlive } from '../../support/is-alive.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { KILL_RUNNER } from '../../support/processes.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

interface Rig {
  readonly runner: CommandRunner;
  readonly log: RecordedLog;
  run(command: string, options?: { input?: string; timeoutMs?: number; signal?: AbortSignal }): Promise<CommandOutcome>;
}

function openRunner(clock: CommandClock = new SystemClock(), processClock: CommandClock = new SystemClock()): Rig {
  const log = new RecordedLog();
  const runner = new CommandRunner({ clock, processClock, log, random: () => 0 });
  onTestFinished(() => runner[Symbol.asyncDispose]());
  const { signal: never } = new AbortController();
  return { runner, log, run: (command, options) => runner.run(command, { input: '', signal: never, ...options }) };
}

async function outputOf(rig: Rig, command: string): Promise<string> {
  const outcome = await rig.run(command);
  if (outcome.kind !== 'exited') throw new Error(`the command ${outcome.kind}`);
  return outcome.output;
}

/** Returns the process id of the runner. */
async function processOf(rig: Rig): Promise<number> {
  return Number(await outputOf(rig, 'echo $PPID'));
}

/** Waits until a command has written this many numbers to the file, and returns them. */
async function numbersIn(file: string, count: number): Promise<number[]> {
  return await vi.waitFor(async () => {
    const text = await readFile(file, 'utf8');
    const numbers = text.trim().split(/\s+/).map(Number);
    expect(numbers).toHaveLength(count);
    expect(text).toMatch(/\n$/);
    return numbers;
  });
}

async function expectEndOf(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]));
}

/** Returns a command that writes the ids of its two processes to the file, and keeps running. */
const family = (file: string): string => `echo it begins; sleep 600 & echo $! $$ > ${file}; wait`;

describe('commands that a separate runner process starts', () => {
  test.each([
    'true',
    'exit 255',
    'kill -TERM $$',
    'no-such-command-here',
    '/etc/passwd',
    'if then',
    'for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done',
    'echo a > /dev/stderr; echo b | tee /dev/stdout; cat /dev/stdin',
    String.raw`printf 'a\377b\303'`,
    'echo \0',
    'ps -o pgid= -p $$ | tr -d " " | grep -qx $$',
  ])('a command has the same outcome with the runner process as without: %s', async (command) => {
    const { signal } = new AbortController();
    using watchdog = new CommandWatchdog();
    const here = await runCommand(command, { clock: new SystemClock(), watchdog, input: 'héllo', signal });
    expect(await openRunner().run(command, { input: 'héllo' })).toEqual(here);
  });

  test('a command with more arguments than the system accepts fails', async () => {
    expect(await openRunner().run(`: ${'x'.repeat(4_000_000)}`)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('E2BIG'),
    });
  });
});

test('a large input is passed completely to a command, and a large output is truncated at the limit', async () => {
  const rig = openRunner();
  const input = 'ä'.repeat(2_000_000);
  expect(await rig.run('wc -c', { input })).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^\s*4000000\n$/),
  });
  const outcome = await rig.run(`cat; echo never seen`, { input: 'x'.repeat(OUTPUT_BYTES_MAX * 2) });
  expect(outcome).toEqual({
    kind: 'exited',
    status: 0,
    output: `${'x'.repeat(OUTPUT_BYTES_MAX)}\n... output truncated after 256 KiB`,
    isOutputCut: true,
  });
});

test('one runner process runs two hundred commands at the same time and returns the output of each', async () => {
  const rig = openRunner();
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, at) => rig.run('cat; echo " $PPID"', { input: `input ${String(at)} of` })),
  );
  const pid = await processOf(rig);
  expect(pid).not.toBe(process.pid);
  expect(outcomes).toEqual(
    outcomes.map((_, at) => ({ kind: 'exited', status: 0, output: `input ${String(at)} of ${String(pid)}\n` })),
  );
});

describe('stopping a command with the runner process', () => {
  test('the timeout kills a command and its children, and the output until then is returned', async () => {
    const clock = new ManualClock();
    const file = join(await tempDir(), 'pids');
    const running = openRunner(clock).run(family(file), { timeoutMs: 1500 });
    const pids = await numbersIn(file, 2);
    clock.advance(1499);
    expect(pids.every((pid) => isAlive(pid))).toBe(true);
    clock.advance(1);
    expect(await running).toEqual({ kind: 'timed_out', output: 'it begins\n' });
    await expectEndOf(pids);
    expect(clock.pending).toBe(0);
  });

  test('aborting a command kills the command and its children, and no other command', async () => {
    const dir = await tempDir();
    const rig = openRunner();
    const stopping = new AbortController();
    const stopped = rig.run(family(join(dir, 'stopped')), { signal: stopping.signal });
    const other = rig.run(`echo $$ > ${dir}/other; exec cat ${dir}/fifo`);
    const pids = await numbersIn(join(dir, 'stopped'), 2);
    stopping.abort();
    expect(await stopped).toEqual({ kind: 'stopped' });
    await expectEndOf(pids);
    expect(await other).toMatchObject({ kind: 'exited', status: 1 });
  });

  test('a command that is aborted before it starts is not run', async () => {
    const file = join(await tempDir(), 'ran');
    const rig = openRunner();
    expect(await rig.run(`echo ran > ${file}`, { signal: AbortSignal.abort() })).toEqual({ kind: 'stopped' });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  test('the timeout kills a command even if the runner process does not respond', async () => {
    const clock = new ManualClock();
    const file = join(await tempDir(), 'pids');
    const rig = openRunner(clock, clock);
    const stuck = await processOf(rig);
    const running = rig.run(family(file), { timeoutMs: 1000 });
    const pids = await numbersIn(file, 2);
    process.kill(stuck, 'SIGSTOP');
    clock.advance(1000);
    clock.advance(5000);
    expect(await running).toMatchObject({ kind: 'failed' });
    await expectEndOf([stuck, ...pids]);
  });
});

describe('a runner process that was killed', () => {
  test('commands of a killed runner process fail, and the next command runs in a new runner process', async () => {
    const file = join(await tempDir(), 'pids');
    const rig = openRunner();
    const first = await processOf(rig);
    const running = rig.run(family(file));
    const pids = await numbersIn(file, 2);
    process.kill(first, 'SIGKILL');
    expect(await running).toEqual({
      kind: 'failed',
      reason: 'the process that runs commands has exited and will be restarted',
    });
    await expectEndOf(pids);
    expect(await processOf(rig)).not.toBe(first);
    expect(rig.log.records).toEqual([
      {
        level: 'warn',
        message: 'the process that runs commands has exited and will be restarted',
        fields: { reason: 'SIGKILL', commands: 1, pause_ms: 100 },
      },
    ]);
  });

  test('commands wait for the restart backoff after the runner process was killed, up to their own timeout', async () => {
    const clock = new ManualClock();
    const rig = openRunner(clock);
    expect(await rig.run(`${KILL_RUNNER}; sleep 600`)).toMatchObject({ kind: 'failed' });
    const impatient = rig.run('echo ran', { timeoutMs: 50 });
    const patient = rig.run('echo ran', { timeoutMs: 60_000 });
    clock.advance(99);
    expect(await impatient).toEqual({ kind: 'timed_out', output: '' });
    clock.advance(1);
    expect(await patient).toMatchObject({ kind: 'exited', output: 'ran\n' });
  });

  test('a killed runner process leaves no temporary files behind', async () => {
    const dir = await tempDir();
    vi.stubEnv('TMPDIR', dir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const rig = openRunner();
    expect(await rig.run(`${KILL_RUNNER}; sleep 600`)).toMatchObject({ kind: 'failed' });
    expect(await readdir(dir)).toEqual([]);
  });
});

test('signals to the whole service or the terminal do not stop the runner process', async () => {
  const rig = openRunner();
  const pid = await processOf(rig);
  expect(await outputOf(rig, 'kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; sleep 0.1; echo on')).toBe('on\n');
  expect(await processOf(rig)).toBe(pid);
});

test('closing the runner ends its process and all commands without a warning', async () => {
  const file = join(await tempDir(), 'pids');
  const rig = openRunner();
  const pid = await processOf(rig);
  const running = rig.run(family(file));
  const pids = await numbersIn(file, 2);
  await rig.runner[Symbol.asyncDispose]();
  expect(await running).toMatchObject({ kind: 'failed' });
  await expectEndOf([pid, ...pids]);
  expect(rig.log.records).toEqual([]);
});

describe('the runner process', () => {
  test('the runner process has a descriptive name', async () => {
    expect(await outputOf(openRunner(), 'ps -o args= -p $PPID')).toBe('mon-backend commands\n');
  });

  test('the runner process and its commands inherit no open file and no secret variable', async () => {
    vi.stubEnv('MON_CREDENTIALS', 'user:secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    const directory = await tempDir();
    const spool = await openSpool(directory);
    onTestFinished(() => spool[Symbol.asyncDispose]());
    const rig = openRunner();
    expect(await outputOf(rig, 'env')).not.toContain('secret');
    const descriptors = `/proc/${String(await processOf(rig))}/fd`;
    const held = await Promise.all(
      (await readdir(descriptors)).map((fd) => readlink(join(descriptors, fd)).catch(() => '')),
    );
    expect(held.filter((path) => path.startsWith(directory))).toEqual([]);
    // The two are standard input and output of the runner itself.
    expect(held.filter((path) => path === '/dev/null')).toHaveLength(2);
    // Descriptor 3 is the directory that `ls` lists.
    expect((await outputOf(rig, 'ls /dev/fd')).trim().split('\n')).toEqual(['0', '1', '2', '3']);
  });
});
