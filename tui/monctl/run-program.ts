import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { errorMessage, MonError } from '../../shared/errors.ts';

/**
 * Runs a program to its end.
 *
 * @returns its exit code as a shell reports it: 128 plus the number of the signal if a signal ended it
 */
export type RunProgram = (command: readonly string[]) => Promise<number>;

/** Error that ends monctl with the exit code of the program that it ran, without an error message. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  readonly code: number;

  constructor(code: number) {
    super(`the command ended with ${String(code)}`);
    this.code = code;
  }
}

/** Signals that a terminal sends to all its foreground processes. */
const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Signals that monctl passes on to the program that it runs. */
const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'];

/**
 * Runs a program with the input, output and signals of monctl, and waits for its end.
 *
 * @param command the program and its arguments, without a shell
 * @throws MonError `invalid` when there is no such program, or it cannot be run
 */
export const runProgram: RunProgram = async ([program = '', ...words]) => {
  let child: ChildProcess | undefined;
  const isAtTerminal = process.stdin.isTTY;
  const handlers = new Map<NodeJS.Signals, () => void>();
  for (const signal of FORWARDED_SIGNALS) handlers.set(signal, () => void child?.kill(signal));
  // The terminal also sends these signals to the program; passing them on would deliver them twice.
  for (const signal of TERMINAL_SIGNALS) handlers.set(signal, () => void (isAtTerminal || child?.kill(signal)));
  // The signal handlers are installed before the program starts: otherwise an early signal would end monctl before it
  // has ended the maintenance silence. Pending signals are handled once `spawn` has returned.
  for (const [signal, handler] of handlers) process.on(signal, handler);
  try {
    child = spawn(program, words, { stdio: 'inherit' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? 'no such program' : errorMessage(error);
    throw new MonError('invalid', `${program}: ${why}`, { cause: error });
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  }
};
