import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { MonError } from '../../shared/errors.ts';
import { FrameStdout } from './frame-stdout.ts';
import type { InputEvent } from './input-event.ts';
import { KeyDecoder } from './key-decoder.ts';
import { openTerminalDevice, type TerminalDevice } from './terminal-device.ts';

export interface TerminalSessionOptions {
  readonly onInput: (event: InputEvent) => void;
  /**
   * Called when the process continues after a stop (SIGTSTP, SIGSTOP). The screen is empty then, so all of it must be
   * drawn again.
   */
  readonly onResume: () => void;
  readonly mouse?: boolean;
  /** True to ask the terminal for its background color. A terminal that does not know the question ignores it. */
  readonly asksBackground?: boolean;
}

/**
 * Moves the cursor to the top left and erases everything after it. Unlike "erase all" this adds nothing to the
 * scrollback of any terminal.
 */
export const CLEAR_SCREEN = '\u001b[H\u001b[J';

// Turns on the alternate screen (a terminal without one is cleared), bracketed paste and focus reports, and hides the
// cursor.
const ENTER_SEQUENCE = `\u001b[?1049h${CLEAR_SCREEN}\u001b[?25l\u001b[?2004h\u001b[?1004h`;

// Turns on reports of clicks and drags, in the encoding without a column limit.
const MOUSE_ON = '\u001b[?1000h\u001b[?1002h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1002l\u001b[?1000l';

const ASK_BACKGROUND = '\u001b]11;?\u001b\\';

// Ends a synchronized frame, resets the colors, and turns off the modes above in reverse order.
const LEAVE_SEQUENCE = `\u001b[?2026l\u001b[0m${MOUSE_OFF}\u001b[?1004l\u001b[?2004l\u001b[?25h\u001b[?1049l`;

/** A control character that ends an escape sequence that was interrupted in the middle. */
const CANCEL_CHARACTER = '\u0018';

/** Maximum number of attempts to restore a terminal that accepts nothing, for example after ctrl-s. */
const LEAVE_ATTEMPTS = 40;
const LEAVE_WAIT_MS = 5;

/**
 * Milliseconds after which a suspended process knows that it was not stopped. The clock does not count the time during
 * which the process is stopped.
 */
const SUSPEND_WAIT_MS = 50;

const DEADLY_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The signals that the keys Ctrl-C and Ctrl-\ send to the programs in the foreground. */
const KEY_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;

function ignoreSignal(): void {
  // Another program has the terminal, so the key was meant for that program.
}

/**
 * Controls all modes of the terminal: raw input, alternate screen, cursor, bracketed paste, focus reports, mouse.
 * However the program ends or stops (except by SIGKILL or SIGSTOP), the terminal is restored.
 *
 * Ink gets `stdout` of this session, `alternateScreen: false` and no input hook, so that only this class changes modes.
 * The type of `stdout` requires more of a `WriteStream` than Ink uses.
 */
class TerminalSession implements Disposable {
  readonly stdout: FrameStdout;
  readonly #device: TerminalDevice;
  readonly #decoder: KeyDecoder;
  readonly #onResume: () => void;
  #mouse: boolean;
  #isOpen = true;
  #isSuspended = false;

  constructor({ onInput, onResume, mouse = false, asksBackground = false }: TerminalSessionOptions) {
    this.#device = openTerminalDevice();
    this.stdout = new FrameStdout(this.#device, process.stdout);
    this.#decoder = new KeyDecoder({ emit: onInput });
    this.#onResume = onResume;
    this.#mouse = mouse;

    for (const signal of DEADLY_SIGNALS) process.on(signal, this.#die);
    process.on('SIGTSTP', this.#stop);
    process.on('SIGCONT', this.#resume);
    process.on('exit', this.#leave);
    // The alternate screen must be left before the error is printed, because the error would disappear with it.
    process.on('uncaughtExceptionMonitor', this.#leave);
    process.stdin.on('data', this.#feed);
    process.stdin.on('end', this.#hangUp);
    process.stdin.on('error', this.#hangUp);
    this.#enter();
    if (asksBackground) this.stdout.writeRaw(ASK_BACKGROUND);
  }

  setMouse(enabled: boolean): void {
    if (this.#mouse === enabled) return;
    this.#mouse = enabled;
    this.stdout.writeRaw(enabled ? MOUSE_ON : MOUSE_OFF);
  }

  /**
   * Restores the terminal and stops the job of this process, as Ctrl-Z does in other programs. The session goes on when
   * the shell continues the job.
   *
   * @returns false if the job was not stopped, because no shell could continue it
   */
  async suspend(): Promise<boolean> {
    this.#isSuspended = true;
    this.#restore();
    // The default action of SIGTSTP stops the process. Unlike SIGSTOP, the kernel ignores it if no shell could continue
    // the job. It is sent to the whole job, so that a script that waits for this process is stopped too.
    process.off('SIGTSTP', this.#stop);
    process.kill(0, 'SIGTSTP');
    await setTimeout(SUSPEND_WAIT_MS);
    // A pending SIGCONT is handled before an immediate, but after a timer that is due.
    await setImmediate();
    // The type checker does not know that the handler of SIGCONT changes the value.
    const isStillSuspended: boolean = this.#isSuspended;
    if (isStillSuspended) this.#resume();
    return !isStillSuspended;
  }

  /**
   * Gives the terminal to another program until `run` resolves. Meanwhile, Ctrl-C and Ctrl-Z reach only that program.
   *
   * @param isWaiting true if the user must press Enter before the console draws again
   */
  async handOver<Result>(run: () => Promise<Result>, isWaiting: boolean): Promise<Result> {
    process.stdin.off('data', this.#feed);
    process.stdin.pause();
    this.#restore();
    process.off('SIGINT', this.#die);
    process.off('SIGTSTP', this.#stop);
    process.off('SIGCONT', this.#resume);
    // The terminal sends these signals to all programs in the foreground, and the default action would end the console.
    for (const signal of KEY_SIGNALS) process.on(signal, ignoreSignal);
    try {
      const result = await run();
      if (isWaiting) await this.#waitForEnter();
      return result;
    } finally {
      for (const signal of KEY_SIGNALS) process.off(signal, ignoreSignal);
      if (this.#isOpen) {
        process.on('SIGINT', this.#die);
        process.on('SIGTSTP', this.#stop);
        process.on('SIGCONT', this.#resume);
        process.stdin.on('data', this.#feed);
        this.#resume();
      }
    }
  }

  async #waitForEnter(): Promise<void> {
    writeNow(this.#device, '\nPress Enter to return to the console ');
    process.stdin.resume();
    await once(process.stdin, 'data');
    process.stdin.pause();
  }

  /** Restores the state of the terminal and ends the session. */
  [Symbol.dispose](): void {
    this.#leave();
  }

  #enter(): void {
    // Raw mode is turned off first. After a stop the shell has turned it off, but Node.js still takes it to be on and
    // would do nothing to turn it on.
    process.stdin.setRawMode(false);
    process.stdin.setRawMode(true);
    process.stdin.resume();
    this.stdout.writeRaw(this.#mouse ? ENTER_SEQUENCE + MOUSE_ON : ENTER_SEQUENCE);
  }

  #restore(): void {
    const isTorn = this.stdout.mute();
    writeNow(this.#device, isTorn ? CANCEL_CHARACTER + LEAVE_SEQUENCE : LEAVE_SEQUENCE);
    process.stdin.setRawMode(false);
  }

  readonly #leave = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const signal of DEADLY_SIGNALS) process.off(signal, this.#die);
    process.off('SIGTSTP', this.#stop);
    process.off('SIGCONT', this.#resume);
    process.off('exit', this.#leave);
    process.off('uncaughtExceptionMonitor', this.#leave);
    process.stdin.off('data', this.#feed);
    process.stdin.off('end', this.#hangUp);
    process.stdin.off('error', this.#hangUp);
    process.stdin.pause();
    this.#decoder[Symbol.dispose]();
    this.#restore();
    this.stdout.destroy();
    this.#device.close();
  };

  /** Restores the terminal and ends the process by the same signal, so that the parent process sees the true reason. */
  readonly #die = (signal: NodeJS.Signals): void => {
    this.#leave();
    process.kill(process.pid, signal);
  };

  readonly #hangUp = (): void => this.#die('SIGHUP');

  readonly #stop = (): void => {
    this.#restore();
    // The listener of SIGTSTP prevents its default action, so the process is stopped by SIGSTOP.
    process.kill(process.pid, 'SIGSTOP');
  };

  readonly #resume = (): void => {
    if (this.#isSuspended) process.on('SIGTSTP', this.#stop);
    this.#isSuspended = false;
    this.stdout.unmute();
    this.#enter();
    // The terminal may have been resized while the process was stopped: a background process gets no SIGWINCH.
    process.kill(process.pid, 'SIGWINCH');
    this.#onResume();
  };

  readonly #feed = (chunk: Uint8Array | string): void => this.#decoder.feed(chunk);
}

/**
 * Opens the terminal session of the console.
 *
 * @throws MonError `unavailable` when standard input or output is not a terminal
 */
export function openTerminalSession(options: TerminalSessionOptions): TerminalSession {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new MonError(
      'unavailable',
      'the console needs a terminal for its input and output: run it without pipes, or use "monctl event list"',
    );
  }
  return new TerminalSession(options);
}

/** Writes synchronously, so that it also works while the process exits. It gives up if the terminal accepts nothing. */
function writeNow(device: TerminalDevice, text: string): void {
  let bytes: Uint8Array = Buffer.from(text);
  try {
    for (let attempt = 0; bytes.length > 0 && attempt < LEAVE_ATTEMPTS; attempt++) {
      if (attempt > 0) sleepMs(LEAVE_WAIT_MS);
      bytes = bytes.subarray(device.write(bytes));
    }
  } catch {
    // The terminal is gone, so there is nothing to restore.
  }
}

function sleepMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
