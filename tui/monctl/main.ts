import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { systemFeedClock } from '../../shared/client/feed-clock.ts';
import { readInput } from './input.ts';
import { run } from './run.ts';
import { runProgram } from './run-program.ts';

// Whoever reads our output has read enough (`| head`): that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

/** On standard error, because the result may go elsewhere. The end of the input is an answer too: none. */
function ask(question: string, isSecret = false): Promise<string> {
  if (isSecret) return askUnseen(question);
  // Not as a terminal: then Ctrl-C stays what it is.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** A terminal of its own kind: what is typed does not come back, and Ctrl-C ends the program. */
function askUnseen(question: string): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true, historySize: 0 });
  // Not before: until now the terminal itself would have shown what is typed.
  process.stderr.write(question);
  return new Promise((resolve) => {
    lines.once('SIGINT', () => {
      lines.close();
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => {
      process.stderr.write('\n');
      resolve('');
    });
    lines.question('', (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  readInput: () => readInput(process.stdin),
  runProgram,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  clock: systemFeedClock,
});
