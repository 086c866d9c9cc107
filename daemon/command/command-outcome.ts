/** Time, so that tests can move it. */
export interface CommandClock {
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
}

interface ExitedCommand {
  readonly kind: 'exited';
  readonly status: number;
  readonly output: string;
  /** It printed more than is kept. */
  readonly isOutputCut?: true;
}

interface FailedCommand {
  readonly kind: 'failed';
  readonly reason: string;
}

/** How a command ended for the one who runs it and does not know what cut it. */
export type CommandEnd =
  | ExitedCommand
  /** It was killed, with what it had printed until then. */
  | { readonly kind: 'cut'; readonly output: string }
  | FailedCommand;

export type CommandOutcome =
  | ExitedCommand
  /** With what it had printed until then. */
  | { readonly kind: 'timed_out'; readonly output: string }
  | FailedCommand
  /** `signal` was aborted. */
  | { readonly kind: 'stopped' };

export interface CommandLimits {
  /** A hard stop; without it the command may run for ever. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a command until it ends, or until its time is over or somebody stops it.
 *
 * @param run kills the command as soon as the signal it is given is aborted, which it may be from the beginning
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
  // Not `AbortSignal.any`: the signal of a program outlives millions of these.
  signal.addEventListener('abort', stop);
  ends.defer(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  const end = await run(cut.signal);
  if (end.kind !== 'cut') return end;
  return hasTimedOut ? { kind: 'timed_out', output: end.output } : { kind: 'stopped' };
}
