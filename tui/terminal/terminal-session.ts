import type { FrameStdout } from './frame-stdout.ts';
import type { InputEvent } from './input-event.ts';

export interface TerminalSessionOptions {
  readonly onInput: (event: InputEvent) => void;
  /** After a stop (SIGTSTP, SIGSTOP) the screen is empty: paint all of it again. */
  readonly onResume: () => void;
  readonly mouse?: boolean;
}

/**
 * Owns the modes of the terminal: raw mode, alternate screen, cursor, bracketed paste, focus reports, mouse. So Ink gets
 * `alternateScreen: false`, `stdout: session.stdout as unknown as NodeJS.WriteStream`, and no input hook is used.
 */
export declare class TerminalSession implements Disposable {
  readonly stdout: FrameStdout;
  setMouse(enabled: boolean): void;
  /** Stops the process like ctrl-z in a shell; everything comes back with `fg`. */
  suspend(): void;
  /** Gives the terminal back as it was; safe to call twice. */
  [Symbol.dispose](): void;
}

/** @throws MonError `unavailable` when stdin or stdout is no terminal */
export declare function openTerminalSession(options: TerminalSessionOptions): TerminalSession;
