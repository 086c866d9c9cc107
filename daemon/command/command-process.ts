// The process that runs the commands of handlers and mutators for the backend. To start a command stops whoever starts it
// for the longer, the more memory and open files it has; here there is little of both, and nobody waits for anything else.
import { SystemClock } from '../clock/system-clock.ts';
import type { CommandReport, CommandRequest } from './command-messages.ts';
import { PipeStock } from './named-pipe.ts';
import { runUntilCut } from './run-command.ts';
import { closeCovers, plainStdio } from './shielded-stdio.ts';

process.title = 'mon-backend commands';
closeCovers();
// Of ours, commands would inherit a mask that is for our files. Nothing of ours is made here.
process.umask(Number(process.argv[2]));

const clock = new SystemClock();
const pipes = new PipeStock();
/** What cuts the runs that are under way, by their number. */
const cuts = new Map<number, AbortController>();

// The backend says when to stop, also when a signal went to both: its handlers have some seconds to end.
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

// The backend has ended, however it did. What it began would go on with nobody to hear of it, and be run again.
process.once('disconnect', () => {
  for (const cut of cuts.values()) cut.abort();
  process.exit();
});

async function run({ id, command, input, environment }: Extract<CommandRequest, { kind: 'run' }>): Promise<void> {
  const cut = new AbortController();
  cuts.set(id, cut);
  const end = await runUntilCut(command, {
    clock,
    input,
    environment,
    cut: cut.signal,
    openStdio: plainStdio,
    openPipes: () => pipes.take(),
    onStart: (group) => report({ kind: 'started', id, group }),
  });
  cuts.delete(id);
  report({ kind: 'ended', id, end });
}

function report(message: CommandReport): void {
  // Without the backend there is nobody left to tell it to.
  process.send?.(message, () => undefined);
}
