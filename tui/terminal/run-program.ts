import { spawn } from 'node:child_process';

/** How a program ended. `output` is the last line that it wrote; empty if the console did not read its output. */
export type ProgramOutcome = { readonly output: string } & (
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly problem: string }
);

/** Milliseconds after which a program in the background is killed. */
const BACKGROUND_TIMEOUT_MS = 60_000;

/** Milliseconds for which the output of a program that has ended is still read. */
const OUTPUT_WAIT_MS = 200;

/** Number of characters at the end of the output that are kept. */
const OUTPUT_CHARACTERS_MAX = 4096;

type ProgramWords = readonly [program: string, ...args: string[]];

/** Runs a program without a shell, with the terminal of the console as its input and output. */
export function runInForeground([program, ...args]: ProgramWords): Promise<ProgramOutcome> {
  const child = spawn(program, args, { stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', problem: error.message, output: '' }));
    child.once('close', (code, signal) => resolve(programOutcome(code, signal, '')));
  });
}

/** Runs a program without a shell and without input, and reads the end of its output. It is killed after a minute. */
export function runInBackground([program, ...args]: ProgramWords): Promise<ProgramOutcome> {
  // The program gets a process group of its own, so that keys such as Ctrl-C do not reach it, and all of it is killed.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
    });
  }
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, BACKGROUND_TIMEOUT_MS);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ kind: 'not-started', problem: error.message, output: '' });
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const report = (): void => resolve(programOutcome(code, signal, lastLine(output)));
      child.once('close', report);
      // A program such as `xdg-open` leaves another one behind, which keeps the output open. It goes on undisturbed.
      setTimeout(report, OUTPUT_WAIT_MS);
    });
  });
}

function programOutcome(code: number | null, signal: NodeJS.Signals | null, output: string): ProgramOutcome {
  return code === null ? { kind: 'killed', signal: signal ?? 'a signal', output } : { kind: 'exited', code, output };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
