import { CommandRunner } from '../../daemon/command/command-runner.ts';
import { CommandWatchdog } from '../../daemon/command/command-watchdog.ts';
import { runCommand } from '../../daemon/command/run-command.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/**
 * A program that runs commands until it is killed, and restarts each one when it ends. The first argument is `runner`
 * (commands run in a separate process, as in the backend) or `direct` (as in the agent); the others are the commands.
 * SIGTERM stops the commands and the program.
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
