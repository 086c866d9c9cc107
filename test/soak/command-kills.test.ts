/** @module-tag slow */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CommandRunner } from '../../daemon/command/command-runner.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { builtProgram } from '../support/built-programs.ts';
import { childrenOf, KILL_RUNNER, processesWithArgument, watchdogsOf } from '../support/processes.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 20;
/** Maximum time in milliseconds from the start of the commands to the kill. */
const KILL_MS_MAX = 60;

/**
 * Shell commands that start a sleep in different ways. The argument of the sleep is unique, so that its processes can
 * be found.
 */
const COMMANDS = [
  (sleep: string) => `exec ${sleep}`,
  (sleep: string) => `${sleep} & ${sleep} & wait`,
  (sleep: string) => `(${sleep} &); exec ${sleep}`,
  (sleep: string) => `trap '' TERM HUP INT; ${sleep}; :`,
  (sleep: string) => `exec env -i ${sleep}`,
  (sleep: string) => `setsid ${sleep} & wait`,
  (sleep: string) => `setsid sh -c 'setsid ${sleep} & ${sleep}' & exec ${sleep}`,
  () => 'true',
] as const;

/** A command that kills the program that runs it as soon as it starts. */
const ASSASSIN = (sleep: string): string => `${KILL_RUNNER}; exec ${sleep}`;

/** A way to kill a program that runs commands, alone or with its helper processes. */
type Disaster = (host: ChildProcess, random: RandomChoices) => Promise<void>;

const kill = (pids: readonly number[], signal: NodeJS.Signals = 'SIGKILL'): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
};

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('the program could not be started');
  return pid;
};
const helpersOf = (host: ChildProcess): readonly number[] =>
  processesWithArgument('mon-backend commands').filter((pid) => childrenOf(pidOf(host)).includes(pid));

const DISASTERS: readonly [Disaster, ...Disaster[]] = [
  async (host) => kill([pidOf(host)]),
  async (host) => kill([...helpersOf(host), pidOf(host)]),
  async (host) => kill([pidOf(host), ...helpersOf(host)]),
  async (host) => kill([pidOf(host)], 'SIGTERM'),
  async (host, random) => {
    kill(helpersOf(host));
    await delay(random.below(2 * KILL_MS_MAX));
    kill([pidOf(host)]);
  },
  async (host) => {
    const starters = (): number[] => [pidOf(host), ...helpersOf(host)];
    const killed = starters().flatMap(watchdogsOf);
    kill(killed);
    // A watchdog that replaces a killed one receives the list of all running commands as soon as it starts.
    await vi.waitFor(() => {
      const others = starters()
        .flatMap(watchdogsOf)
        .filter((pid) => !killed.includes(pid));
      expect(others.length).toBeGreaterThanOrEqual(killed.length);
    });
    await delay(KILL_MS_MAX);
    kill(starters());
  },
];

let count = 0;
/** Returns a sleep command with an argument that identifies its processes. */
function uniqueSleep(): string {
  return `sleep ${String(process.pid)}${String(++count).padStart(6, '0')}`;
}

/** Kills the helper process that runs the commands of this process. Returns the sleep command that identifies them. */
async function killHelper(runner: CommandRunner, random: RandomChoices): Promise<string> {
  const sleep = uniqueSleep();
  const commands = Array.from({ length: 6 }, () => random.pick(COMMANDS)(sleep));
  if (random.below(3) === 0) commands.push(ASSASSIN(sleep));
  const { signal } = new AbortController();
  const helper = await runner.run('echo $PPID', { input: '', signal });
  if (helper.kind !== 'exited') throw new Error(`the command that names the process ${helper.kind}`);
  const outcomes = commands.map((command) => runner.run(command, { input: 'input', signal }));
  await delay(random.below(KILL_MS_MAX));
  kill([Number(helper.output)]);
  await Promise.all(outcomes);
  return sleep;
}

/** Applies a random disaster to a program that runs commands. Returns the sleep command that identifies them. */
async function killHost(random: RandomChoices): Promise<string> {
  const sleep = uniqueSleep();
  const kind = random.pick(['runner', 'direct']);
  const commands = Array.from({ length: 6 }, () => random.pick(COMMANDS)(sleep));
  const host = spawn(process.execPath, [builtProgram('command-host'), kind, ...commands], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(host, 'exit');
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(host.stdout, 'data');
  await delay(random.below(4 * KILL_MS_MAX));
  await random.pick(DISASTERS)(host, random);
  await ended;
  return sleep;
}

test(
  'no command outlives the program that started the command, whichever process is killed and at any time',
  async () => {
    const random = new RandomChoices(seed());
    const runner = new CommandRunner({ clock: new SystemClock(), log: new RecordedLog(), random: () => 0 });
    onTestFinished(() => runner[Symbol.asyncDispose]());
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const sleep = random.below(3) === 0 ? await killHost(random) : await killHelper(runner, random);
      await vi.waitFor(() => expect(processesWithArgument(sleep)).toEqual([]));
    }
  },
  roundsTimeoutMs(ROUNDS, 5000),
);
