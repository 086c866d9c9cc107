/** The time source, which tests replace. */
export interface CommandClock {
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
}

interface ExitedCommand {
  readonly kind: 'exited';
  readonly status: number;
  readonly output: string;
  /** True if it printed more than the limit. */
  readonly isOutputCut?: true;
}

interface FailedCommand {
  readonly kind: 'failed';
  readonly reason: string;
}

/** The end of a command as its process sees it, which does not know why the command was killed. */
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
  /** The command was stopped because `signal` was aborted. */
  | { readonly kind: 'stopped' };

export interface CommandLimits {
  /** The time limit, enforced with a hard stop; undefined: none. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a command until it ends, exceeds its time limit or is stopped.
 *
 * @param run kills the command as soon as its signal is aborted, which may be the case from the beginning
 */
export async function outcomeWithin(
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
  // `AbortSignal.any` would leak: the signal of a program outlives millions of these.
  signal.addEventListener('abort', stop);
  ends.defer(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  const end = await run(cut.signal);
  if (end.kind !== 'cut') return end;
  return hasTimedOut ? { kind: 'timed_out', output: end.output } : { kind: 'stopped' };
}
