import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { systemFeedClock } from '../../shared/client/feed-clock.ts';
import { readInput } from './input.ts';
import { runMonctlCommand } from './run.ts';
import { runProgram } from './run-program.ts';

// The reader of the output, such as `head`, may close it early, which is not a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

/**
 * Asks a question on standard error, because standard output may be redirected. The end of the input counts as an empty
 * answer.
 */
function askQuestion(question: string, isSecret = false): Promise<string> {
  if (isSecret) return askSecret(question);
  // Terminal mode is off, so that Ctrl-C still ends the program.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Asks for a secret without showing what is typed. Ctrl-C still ends the program. */
function askSecret(question: string): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true, historySize: 0 });
  // The question is printed only now: before `createInterface` sets raw mode, the terminal would show what is typed.
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

process.exitCode = await runMonctlCommand(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  readInput: () => readInput(process.stdin),
  runProgram,
  ask: process.stdin.isTTY && process.stderr.isTTY ? askQuestion : undefined,
  clock: systemFeedClock,
});
