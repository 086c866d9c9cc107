// The process that runs the commands of handlers and mutators for the backend. Starting a command stops the program
// that starts it for the longer, the more memory and open files it has; this process has little of both, and serves
// nobody else.
import { SystemClock } from '../clock/system-clock.ts';
import { LIFELINE, type CommandReport, type CommandRequest } from './command-messages.ts';
import { CommandWatchdog } from './command-watchdog.ts';
import { PipeStock } from './command-pipes.ts';
import { runUntilCut } from './run-command.ts';
import { closeCovers, plainStdio } from './shielded-stdio.ts';

process.title = 'mon-backend commands';
closeCovers();
// Commands would inherit the mask that protects the files of the backend. This process creates no files.
process.umask(Number(process.argv[2]));

const clock = new SystemClock();
const pipes = new PipeStock();
const watchdog = new CommandWatchdog({ openStdio: plainStdio, lifeline: LIFELINE });
/** Kills the commands that are running, by their number. */
const cuts = new Map<number, AbortController>();

// The backend decides when to stop, also when a signal went to both: its handlers have some seconds to end.
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

// The backend has ended, in whatever way. The watchdog kills what still runs: nobody would read its result, and the
// backend runs it again after its next start.
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
  // Without the backend nobody is left to read it.
  process.send?.(message, () => undefined);
}
