import { CommandRunner } from '../../daemon/command/command-runner.ts';
import { CommandWatchdog } from '../../daemon/command/command-watchdog.ts';
import { runCommand } from '../../daemon/command/run-command.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/**
 * A program that runs commands until it is killed: argv is `runner` (in a separate process, like the backend)
 * or `direct` (like the agent), and the commands. It restarts each command when it has ended. On SIGTERM it
 * stops them and ends.
 */
const [kind = '', ...commands] = process.argv.slice(2);

const clock = new SystemClock();
const stopping = new AbortController();
const { signal } = stopping;
const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const runner = new CommandRunner({ clock, log, random: () => 0 });
const watchdog = new CommandWatchdog();

async function repeat(command: string): Promise<void> {
  while (!signal.aborted) {
    if (kind === 'runner') await runner.run(command, { input: 'input', signal });
    else await runCommand(command, { clock, watchdog, signal });
  }
}

const loops = Promise.all(commands.map(repeat));
process.once('SIGTERM', () => stopping.abort());
process.stdout.write('running\n');
await loops;
await runner[Symbol.asyncDispose]();
watchdog[Symbol.dispose]();
