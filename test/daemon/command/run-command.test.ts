import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SystemClock } from '../../../daemon/clock/system-clock.ts';
import type { CommandOutcome } from '../../../daemon/command/command-outcome.ts';
import { CommandWatchdog } from '../../../daemon/command/command-watchdog.ts';
import { OUTPUT_BYTES_MAX, runCommand } from '../../../daemon/command/run-command.ts';
import { openSpool } from '../../../daemon/agent/spool.ts';
import type { CommandLine } from '../../../shared/schemas/command.ts';
import { isAlive } from '../../support/is-alive.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { processesWithArgument } from '../../support/processes.ts';
import { tempDir } from '../../support/temp-dir.ts';

const watchdog = new CommandWatchdog();
afterAll(() => watchdog[Symbol.dispose]());

/** Runs a command that ends by itself, and returns its outcome. */
async function run(command: CommandLine, input?: string): Promise<CommandOutcome> {
  return await runCommand(command, { clock: new SystemClock(), watchdog, signal: new AbortController().signal, input });
}

async function outputOf(command: string): Promise<string> {
  const outcome = await run(command);
  if (outcome.kind !== 'exited') throw new Error(`the command ${outcome.kind}`);
  return outcome.output;
}

/** A script that starts itself as a child, down to generation 0; all ignore SIGTERM and write their ids. */
const FAMILY = `trap '' TERM
if [ "$2" = 2 ]; then echo it begins; fi
echo $$ >> "$1/pids"
if [ "$2" = 0 ]; then sleep 600; else sh "$1/family.sh" "$1" $(($2 - 1)) & wait; fi
`;

/** Starts a command with a child and a grandchild, and returns their process ids once all of them run. */
async function startFamily(start: (command: string) => void): Promise<number[]> {
  const dir = await tempDir();
  await writeFile(join(dir, 'family.sh'), FAMILY);
  start(`sh ${dir}/family.sh ${dir} 2`);
  return await vi.waitFor(async () => {
    const pids = (await readFile(join(dir, 'pids'), 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(3);
    expect(pids.every((pid) => isAlive(pid))).toBe(true);
    return pids;
  });
}

describe('the exit status of a command', () => {
  test.each<{ command: string; status: number }>([
    { command: 'true', status: 0 },
    { command: 'exit 1', status: 1 },
    { command: 'false || exit 2', status: 2 },
    { command: 'exit 255', status: 255 },
    { command: 'no-such-command-here', status: 127 },
    { command: '/etc/passwd', status: 126 },
    { command: 'kill -TERM $$', status: 15 },
    { command: 'kill -KILL $$', status: 9 },
    { command: 'if then', status: 2 },
  ])('the exit status of the command `$command` is $status', async ({ command, status }) => {
    expect(await run(command)).toMatchObject({ kind: 'exited', status });
  });

  test('a command that cannot be started fails with the reason', async () => {
    expect(await run('echo \0')).toMatchObject({ kind: 'failed', reason: expect.stringContaining('null bytes') });
    expect(await run(`: ${'x'.repeat(4_000_000)}`)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('E2BIG'),
    });
  });
});

describe('a program with its arguments, run without a shell', () => {
  const HOSTILE = ['$(id)', '`id`', '; id', 'a  b', "it's", '"', '*', '~', '', '\\', '&& id', '$HOME', '-n', 'x\ny'];
  const PRINT = ['printf', '<%s>', ...HOSTILE];
  const printed = HOSTILE.map((argument) => `<${argument}>`).join('');

  test('a program gets its arguments unchanged, without a shell', async () => {
    expect(await run(PRINT)).toEqual({ kind: 'exited', status: 0, output: printed });
  });

  test('a program gets its arguments and its output is read even if no named pipe can be created', async () => {
    vi.stubEnv('TMPDIR', '/no/such/directory');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run(PRINT)).toEqual({ kind: 'exited', status: 0, output: printed });
  });

  test('a program without a shell gets its input, and its outcome has both output streams and the exit status', async () => {
    const command = ['sh', '-c', 'cat; echo err >&2; echo "$0"; exit 2', 'name'];
    expect(await run(command, 'in\n')).toEqual({ kind: 'exited', status: 2, output: 'in\nerr\nname\n' });
  });

  test.each<{ command: string[]; status: number; output: string }>([
    { command: ['no-such-program-here', 'x'], status: 127, output: 'no-such-program-here: not found\n' },
    { command: ['/etc/passwd'], status: 126, output: '/etc/passwd: permission denied\n' },
    { command: ['exit 1'], status: 127, output: 'exit 1: not found\n' },
    { command: ['sh', '-c', 'kill -TERM $$'], status: 15, output: '' },
  ])(
    'a program without a shell has the same exit status as with a shell: $command',
    async ({ command, status, output }) => {
      expect(await run(command)).toEqual({ kind: 'exited', status, output });
    },
  );
});

describe('the output of a command', () => {
  test('the output of a command contains stdout and stderr in the order in which they were written', async () => {
    const output = await outputOf('for i in 1 2 3 4 5; do echo "out $i"; echo "err $i" >&2; done');
    expect(output).toBe([1, 2, 3, 4, 5].map((i) => `out ${String(i)}\nerr ${String(i)}\n`).join(''));
  });

  test('the output of a command contains what it writes to /dev/stdout and /dev/stderr', async () => {
    expect(await outputOf('echo a > /dev/stderr; echo b | tee /dev/stdout; echo c > /dev/stdout')).toBe('a\nb\nb\nc\n');
  });

  test('the output of a command is read even if no named pipe can be created', async () => {
    vi.stubEnv('TMPDIR', '/no/such/directory');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('echo out; echo err >&2; exit 2')).toEqual({ kind: 'exited', status: 2, output: 'out\nerr\n' });
  });

  test('the output of a command contains the errors of the shell itself', async () => {
    expect(await outputOf('no-such-command-here')).toContain('not found');
    expect(await outputOf('echo one; if then')).toMatch(/syntax error/i);
  });

  test('a command without input reads an empty input', async () => {
    expect(await outputOf('cat; wc -c')).toMatch(/^\s*0\n$/);
  });

  test('bytes in the output of a command that are not UTF-8 are replaced', async () => {
    expect(await outputOf(String.raw`printf 'a\377b\303'`)).toBe('a\uFFFDb\uFFFD');
  });

  test('the output of a command is truncated at the limit between characters, without blocking the command', async () => {
    // Each character has three bytes, so the limit falls within a character.
    const output = await outputOf(`yes '€€€€€€€€€' | tr -d '\\n' | head -c ${String(OUTPUT_BYTES_MAX * 4)}; exit 0`);
    const [kept = '', note] = output.split('\n');
    expect(kept).toBe('€'.repeat(Math.floor(OUTPUT_BYTES_MAX / 3)));
    expect(note).toBe('... output truncated after 256 KiB');
  });

  test('an output of exactly the limit is not truncated', async () => {
    const output = await outputOf(`head -c ${String(OUTPUT_BYTES_MAX)} /dev/zero | tr '\\0' x`);
    expect(output).toBe('x'.repeat(OUTPUT_BYTES_MAX));
  });

  test('a command ends without waiting for processes that it left in the background', async () => {
    const pid = Number(await outputOf('sleep 600 & echo $!'));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

describe('the input of a command', () => {
  test.each<{ reader: string; command: string }>([
    { reader: 'the stream stdin', command: 'cat' },
    { reader: 'the device /dev/stdin', command: 'cat /dev/stdin' },
  ])('a command that reads $reader gets the whole input, however long the input is', async ({ command }) => {
    const input = 'ä'.repeat(100_000);
    expect(await run(command, input)).toEqual({ kind: 'exited', status: 0, output: input });
  });

  test('a command that opens /dev/stdin late gets the whole input', async () => {
    expect(await run('sleep 0.2; cat /dev/stdin; cat /dev/stdin', 'hello')).toEqual({
      kind: 'exited',
      status: 0,
      output: 'hello',
    });
  });

  test('a command that does not read its input is not blocked', async () => {
    const input = 'x'.repeat(1_000_000);
    expect(await run('echo done', input)).toMatchObject({ status: 0, output: 'done\n' });
    expect(await run('head -c 3; exit 1', input)).toMatchObject({ status: 1, output: 'xxx' });
  });

  test('the input of a command is written even if no named pipe can be created', async () => {
    vi.stubEnv('TMPDIR', '/no/such/directory');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('cat', 'hello')).toMatchObject({ status: 0, output: 'hello' });
  });
});

describe('the environment of a command', () => {
  test('a command has a reduced environment without secrets of the program', async () => {
    vi.stubEnv('MON_AGENT_CREDENTIALS', 'user:secret');
    vi.stubEnv('LC_ALL', 'C');
    vi.stubEnv('TZ', 'UTC');
    onTestFinished(() => void vi.unstubAllEnvs());
    const names = (await outputOf('env')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'LC_ALL', 'TZ']));
    expect(names).not.toContain('MON_AGENT_CREDENTIALS');
    expect(names).not.toContain('NODE_ENV');
  });

  test('a command runs in a process group of its own', async () => {
    const [group, own] = (await outputOf('ps -o pgid= -p $$; echo $$')).split('\n').map(Number);
    expect(group).toBe(own);
  });

  test('a command inherits no open file of the program', async () => {
    const directory = await tempDir();
    const spool = await openSpool(directory);
    onTestFinished(() => spool[Symbol.asyncDispose]());
    const listing = `const fs = require('node:fs');
      for (const fd of fs.readdirSync('/dev/fd').map(Number)) {
        try { if (fs.fstatSync(fd).isFile()) console.log(fd); } catch {}
      }`;
    expect(await outputOf(`'${process.execPath}' -e "${listing}"`)).toBe('');
  });
});

describe('the hard stop', () => {
  test('the timeout kills a command, its children and its grandchildren', async () => {
    const clock = new ManualClock();
    let outcome: Promise<CommandOutcome> | undefined;
    const pids = await startFamily((command) => {
      outcome = runCommand(command, { clock, watchdog, timeoutMs: 1500, signal: new AbortController().signal });
    });
    clock.advance(1499);
    expect(pids.every((pid) => isAlive(pid))).toBe(true);
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'timed_out', output: 'it begins\n' });
    await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]));
  });

  test('the timeout kills processes that left the process group of the command, and no other processes', async () => {
    const clock = new ManualClock();
    const sleep = `sleep 8${String(process.pid)}`;
    const { signal } = new AbortController();
    const other = runCommand(`exec ${sleep}1`, { clock, watchdog, timeoutMs: 2000, signal });
    const running = runCommand(`setsid setsid ${sleep}0 & setsid ${sleep}0 & wait`, {
      clock,
      watchdog,
      timeoutMs: 1000,
      signal,
    });
    await vi.waitFor(() => {
      expect(processesWithArgument(`${sleep}0`).length).toBeGreaterThanOrEqual(3);
      expect(processesWithArgument(`${sleep}1`)).toHaveLength(1);
    });
    clock.advance(1000);
    expect(await running).toMatchObject({ kind: 'timed_out' });
    await vi.waitFor(() => expect(processesWithArgument(`${sleep}0`)).toEqual([]));
    expect(processesWithArgument(`${sleep}1`)).toHaveLength(1);
    clock.advance(1000);
    expect(await other).toMatchObject({ kind: 'timed_out' });
  });

  test('the timeout does not affect a command that has ended and left a background process behind', async () => {
    const clock = new ManualClock();
    // The command writes to a file, because the manual clock may cut off its output before it is read.
    const file = join(await tempDir(), 'pid');
    const running = runCommand(`sleep 600 & echo $! > ${file}`, {
      clock,
      watchdog,
      timeoutMs: 500,
      signal: new AbortController().signal,
    });
    const outcome = await vi.waitFor(async () => {
      // The second timer limits the wait for remaining processes.
      expect(clock.pending).toBe(2);
      clock.advance(1000);
      return await running;
    });
    expect(outcome).toMatchObject({ kind: 'exited', status: 0 });
    process.kill(Number(await readFile(file, 'utf8')), 'SIGKILL');
  });

  test('aborting a command kills the command, its children and its grandchildren', async () => {
    const stopping = new AbortController();
    let outcome: Promise<CommandOutcome> | undefined;
    const pids = await startFamily((command) => {
      outcome = runCommand(command, { clock: new ManualClock(), watchdog, signal: stopping.signal });
    });
    stopping.abort();
    expect(await outcome).toEqual({ kind: 'stopped' });
    await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]));
  });

  test('a command that ends in time leaves no timer behind', async () => {
    const clock = new ManualClock();
    const outcome = await runCommand('true', {
      clock,
      watchdog,
      timeoutMs: 1500,
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ status: 0 });
    expect(clock.pending).toBe(0);
  });
});
