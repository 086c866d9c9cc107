// The process that runs the commands of handlers and mutators for the backend. Starting a command blocks the parent
// process, longer with more memory and open files. This process has little of both, and no other task.
import { SystemClock } from '../clock/system-clock.ts';
import { LIFELINE, type CommandReport, type CommandRequest } from './command-messages.ts';
import { CommandWatchdog } from './command-watchdog.ts';
import { PipeStock } from './command-pipes.ts';
import { runUntilCut } from './run-command.ts';
import { closeCovers, plainStdio } from './shielded-stdio.ts';

process.title = 'mon-backend commands';
closeCovers();
// Commands would inherit the umask that protects the files of the backend. This process creates no files.
process.umask(Number(process.argv[2]));

const clock = new SystemClock();
const pipes = new PipeStock();
const watchdog = new CommandWatchdog({ openStdio: plainStdio, lifeline: LIFELINE });
/** The controllers that kill the running commands, by their number. */
const cuts = new Map<number, AbortController>();

// The backend decides when to stop, even if both processes received the signal: its handlers have some seconds to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (request: CommandRequest) => {
  switch (request.kind) {
    case 'run':
      void run(request);
      break;
    case 'cut':
      cuts.get(request.id)?.abort();
      break;
  }
});

// The backend has ended. The watchdog kills the running commands: their results could not be delivered, and the backend
// runs them again after its next start.
process.once('disconnect', () => process.exit());

async function run({ id, command, input, environment }: Extract<CommandRequest, { kind: 'run' }>): Promise<void> {
  const cut = new AbortController();
  cuts.set(id, cut);
  const end = await runUntilCut(command, {
    clock,
    watchdog,
    input,
    environment,
    cut: cut.signal,
    openStdio: plainStdio,
    openPipes: () => pipes.take(),
  });
  cuts.delete(id);
  report({ id, end });
}

function report(message: CommandReport): void {
  // If the backend has ended, no process is left to read the message.
  process.send?.(message, () => undefined);
}
