import { delimiter, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import headless, { type Terminal } from '@xterm/headless';
import { spawn, type IPty } from '@lydell/node-pty';
import { cpuMs, memoryMiB, waitedMs } from './process-figures.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** When what was waited for was on the terminal. */
export interface Arrival {
  /** From the call on until the last byte that it took had arrived. */
  readonly delayMs: number;
  /** The part of it in which the console, or we, were ready to go on and the machine had no core for us. */
  readonly coreMs: number;
}

interface ConsoleOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly programArguments?: readonly string[];
  /** Whose console it is. Default: of this one. */
  readonly clone?: string | undefined;
}

/** The built console in a pseudo-terminal, and what is on its screen. */
export class ConsoleTerminal implements AsyncDisposable {
  readonly #startedAt = performance.now();
  readonly #size: TerminalSize;
  readonly #terminal: Terminal;
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  #onDrawn: ((arrivedAt: number) => void) | undefined;
  /** Bytes so far. */
  received = 0;

  constructor(
    backend: string,
    size: TerminalSize,
    { env = {}, programArguments = [], clone = ROOT }: ConsoleOptions = {},
  ) {
    const { PATH, HOME } = process.env;
    this.#size = size;
    this.#terminal = new headless.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
    // By its first line, which names the flags that it wants.
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

  /** The screen as lines. */
  get lines(): readonly string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#size.rows }, (_, row) => active.getLine(active.viewportY + row) ?? []).map(
      (line) => ('translateToString' in line ? line.translateToString(true) : ''),
    );
  }

  write(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types and waits for what comes of it. */
  async press(keys: string, holds: (screen: string) => boolean, timeoutMs?: number): Promise<Arrival> {
    this.write(keys);
    return this.until(holds, timeoutMs);
  }

  /** Ends it as its user does, so that it leaves what it leaves for its next start. */
  async quit(): Promise<void> {
    this.write('q');
    await this.#exited;
  }

  /** The terminal takes nothing, as after ctrl-s or behind a hung connection, until `flow`. */
  stall(): void {
    this.#pty.pause();
  }

  flow(): void {
    this.#pty.resume();
  }

  /** Resolves when the screen is as wanted. @throws with the screen when it does not get there */
  async until(holds: (screen: string) => boolean, timeoutMs = 10_000): Promise<Arrival> {
    const calledAt = performance.now();
    const waitedBefore = this.#waitedMs;
    const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
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
    return waitedMs(this.#pty.pid) + waitedMs(process.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pty.kill('SIGKILL');
    await this.#exited;
    this.#terminal.dispose();
  }
}
