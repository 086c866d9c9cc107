import { delimiter, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import headless, { type Terminal } from '@xterm/headless';
import { spawn, type IPty } from '@lydell/node-pty';
import { cpuMs, memoryMiB, runQueueWaitMs } from './process-figures.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..');

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The time that the expected content needed to appear on the screen. */
export interface FrameArrival {
  /** Time from the call until the last byte of the expected content arrived. */
  readonly delayMs: number;
  /** The part of `delayMs` in which the console or this process was ready to run but had no CPU core. */
  readonly coreMs: number;
}

interface ConsoleOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly programArguments?: readonly string[];
  /** Repository clone whose console is started. Default: this clone. */
  readonly clone?: string | undefined;
}

/** The built console in a pseudo-terminal, with access to the content of its screen. */
export class ConsoleTerminal implements AsyncDisposable {
  readonly #startedAt = performance.now();
  readonly #size: TerminalSize;
  readonly #terminal: Terminal;
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  #onDrawn: ((arrivedAt: number) => void) | undefined;
  /** Number of bytes received so far. */
  received = 0;

  constructor(
    backend: string,
    size: TerminalSize,
    { env = {}, programArguments = [], clone = REPOSITORY_ROOT }: ConsoleOptions = {},
  ) {
    const { PATH, HOME } = process.env;
    this.#size = size;
    this.#terminal = new headless.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
    // Executes the program file directly, so that its first line applies the Node.js flags.
    this.#pty = spawn(join(clone, 'dist', 'mon.js'), [...programArguments], {
      name: 'xterm-256color',
      cols: size.columns,
      rows: size.rows,
      env: {
        PATH: `${dirname(process.execPath)}${delimiter}${PATH ?? ''}`,
        HOME,
        USER: 'bench',
        LANG: 'C.UTF-8',
        MON_BACKEND: backend,
        ...env,
      },
      encoding: null,
    });
    this.#exited = new Promise((resolve) => void this.#pty.onExit(() => resolve()));
    this.#pty.onData((bytes) => {
      const arrivedAt = performance.now();
      this.received += bytes.length;
      this.#terminal.write(bytes, () => this.#onDrawn?.(arrivedAt));
    });
  }

  get cpuMs(): number {
    return cpuMs(this.#pty.pid);
  }

  get memoryMiB(): number {
    return memoryMiB(this.#pty.pid);
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The terminal with its screen, to draw a picture of it. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** The current lines of the screen. */
  get lines(): readonly string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#size.rows }, (_, row) => active.getLine(active.viewportY + row) ?? []).map(
      (line) => ('translateToString' in line ? line.translateToString(true) : ''),
    );
  }

  write(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types keys and waits until the screen has the expected content. */
  async press(keys: string, holds: (screen: string) => boolean, timeoutMs?: number): Promise<FrameArrival> {
    this.write(keys);
    return this.until(holds, timeoutMs);
  }

  /** Quits the console as a user does, so that it stores what it needs for its next start. */
  async quit(): Promise<void> {
    this.write('q');
    await this.#exited;
  }

  /**
   * Stops reading the console's output until `resumeReading` is called, like a terminal after Ctrl-S or behind a hung
   * connection.
   */
  pauseReading(): void {
    this.#pty.pause();
  }

  resumeReading(): void {
    this.#pty.resume();
  }

  /**
   * Waits until the screen has the expected content.
   *
   * @throws Error with the content of the screen, after the timeout
   */
  async until(holds: (screen: string) => boolean, timeoutMs = 10_000): Promise<FrameArrival> {
    const calledAt = performance.now();
    const waitedBefore = this.#waitedMs;
    const { promise, resolve, reject } = Promise.withResolvers<FrameArrival>();
    const timer = setTimeout(
      () => reject(new Error(`not in time; the screen is:\n${this.lines.join('\n')}`)),
      timeoutMs,
    );
    this.#onDrawn = (arrivedAt) => {
      if (!holds(this.lines.join('\n'))) return;
      this.#onDrawn = undefined;
      clearTimeout(timer);
      resolve({ delayMs: Math.max(0, arrivedAt - calledAt), coreMs: this.#waitedMs - waitedBefore });
    };
    this.#onDrawn(calledAt);
    return promise;
  }

  get #waitedMs(): number {
    return runQueueWaitMs(this.#pty.pid) + runQueueWaitMs(process.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pty.kill('SIGKILL');
    await this.#exited;
    this.#terminal.dispose();
  }
}
