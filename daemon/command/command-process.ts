// This program runs the commands of handlers and mutators for the backend, in a process of its own. Starting a command
// blocks the process that starts it, and the longer the more memory and open files that process has. This process has
// few of both, and no other task.
import { SystemClock } from '../clock/system-clock.ts';
import { LIFELINE_DESCRIPTOR, type CommandReport, type CommandRequest } from './command-messages.ts';
import { CommandWatchdog } from './command-watchdog.ts';
import { PipeStock } from './command-pipes.ts';
import { runUntilCut } from './run-command.ts';
import { closeNullDescriptors, unshieldedStdio } from './shielded-stdio.ts';

process.title = 'mon-backend commands';
closeNullDescriptors();
// Restore the umask with which the backend was started: commands must not inherit the umask that protects the files of
// the backend. This process itself creates no files.
process.umask(Number(process.argv[2]));

const clock = new SystemClock();
const pipes = new PipeStock();
const watchdog = new CommandWatchdog({ openStdio: unshieldedStdio, lifeline: LIFELINE_DESCRIPTOR });
/** The abort controllers that kill the running commands, by the id of the command. */
const killSwitches = new Map<number, AbortController>();

// Ignore stop signals. Usually the backend has received them too. The backend decides when this process stops, because
// it gives running handlers some seconds to finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (request: CommandRequest) => {
  switch (request.kind) {
    case 'run':
      void runCommand(request);
      break;
    case 'cut':
      killSwitches.get(request.id)?.abort();
      break;
  }
});

// If the backend ends, this process exits too, and the watchdog kills the running commands. Their results could not be
// delivered, and the backend runs these commands again after its next start.
process.once('disconnect', () => process.exit());

async function runCommand({
  id,
  command,
  input,
  environment,
}: Extract<CommandRequest, { kind: 'run' }>): Promise<void> {
  const cut = new AbortController();
  killSwitches.set(id, cut);
  const end = await runUntilCut(command, {
    clock,
    watchdog,
    input,
    environment,
    cutSignal: cut.signal,
    openStdio: unshieldedStdio,
    openPipes: () => pipes.take(),
  });
  killSwitches.delete(id);
  sendReport({ id, end });
}

function sendReport(message: CommandReport): void {
  // Ignore an error: if the backend has ended, no process is left to read the report.
  process.send?.(message, () => undefined);
}
