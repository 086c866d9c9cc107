/** The timers for time limits of commands; tests replace them. */
export interface CommandClock {
  /** Calls `task` once after `delayMs`, unless the returned object is disposed of first. */
  after(delayMs: number, task: () => void): Disposable;
}

interface ExitedCommand {
  readonly kind: 'exited';
  readonly status: number;
  readonly output: string;
  /** True if the command printed more than the maximum output, so `output` is truncated. */
  readonly isOutputCut?: true;
}

interface FailedCommand {
  readonly kind: 'failed';
  readonly reason: string;
}

/**
 * The way in which a command ended. Its kind is `cut` if the command was killed for any reason; `CommandOutcome`
 * distinguishes the reasons.
 */
export type CommandEnd =
  | ExitedCommand
  /** The command was killed; `output` is what it had printed before. */
  | { readonly kind: 'cut'; readonly output: string }
  | FailedCommand;

export type CommandOutcome =
  | ExitedCommand
  /** The command exceeded its time limit; `output` is what it had printed before. */
  | { readonly kind: 'timed_out'; readonly output: string }
  | FailedCommand
  /** The command was killed because `signal` was aborted. */
  | { readonly kind: 'stopped' };

export interface CommandLimits {
  /** Time limit in milliseconds after which the command is killed; undefined if there is no limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a command until it ends, exceeds its time limit or is stopped by `signal`.
 *
 * @param run callback that runs the command, and kills it when the given signal is aborted; the signal can already be
 *   aborted at the call
 */
export async function runWithLimits(
  clock: CommandClock,
  { timeoutMs, signal }: CommandLimits,
  run: (cut: AbortSignal) => Promise<CommandEnd>,
): Promise<CommandOutcome> {
  const cut = new AbortController();
  const stop = (): void => cut.abort();
  let hasTimedOut = false;
  using ends = new DisposableStack();
  if (timeoutMs !== undefined) {
    ends.use(
      clock.after(timeoutMs, () => {
        hasTimedOut = true;
        cut.abort();
      }),
    );
  }
  // `AbortSignal.any` would leak memory: one `signal` of a program outlives millions of commands.
  signal.addEventListener('abort', stop);
  ends.defer(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  const end = await run(cut.signal);
  if (end.kind !== 'cut') return end;
  return hasTimedOut ? { kind: 'timed_out', output: end.output } : { kind: 'stopped' };
}
