import { spawn, type IPty } from '@lydell/node-pty';
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { Screen } from './screen.ts';
import { placesEnv } from './administrator.ts';

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** Added to a minimal environment of a color terminal; `TERM` is xterm-256color by default. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a program ended: `signal` is its number, 0 if there was none. */
export interface PtyExit {
  readonly exitCode: number;
  readonly signal: number;
}

/** A real program in a real pseudo-terminal, with its screen. */
export class Pty implements AsyncDisposable {
  readonly screen: Screen;
  readonly exited: Promise<PtyExit>;
  readonly #pty: IPty;
  #exit: PtyExit | undefined;

  constructor(program: string, programArguments: readonly string[], options: PtyOptions = {}) {
    const { columns = 120, rows = 36, cwd = process.cwd(), env = {} } = options;
    this.screen = new Screen({ columns, rows });
    this.#pty = spawn(program, [...programArguments], {
      // The library sets TERM to this, whatever the environment contains.
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd,
      // The program does not get the environment of the tests: `CI` or `NO_COLOR` would change it.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...placesEnv(),
        LANG: 'C.UTF-8',
        COLORTERM: 'truecolor',
        ...env,
      },
      // Bytes, because text would be split inside characters.
      encoding: null,
    });
    this.#pty.onData((bytes) => this.screen.feed(bytes));
    this.screen.onAnswer((answer) => this.write(answer));
    const { promise, resolve } = Promise.withResolvers<PtyExit>();
    this.exited = promise;
    this.#pty.onExit(({ exitCode, signal = 0 }) => {
      const exit = { exitCode, signal };
      this.#exit = exit;
      // The last output is read by now, but not yet on the screen.
      void this.screen.settled().then(() => resolve(exit));
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Types keys as a terminal sends them. */
  write(keys: string): void {
    if (this.#exit === undefined) this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Stops reading the output until `flow`, like ctrl-s or a hung connection. */
  stall(): void {
    this.#pty.pause();
  }

  flow(): void {
    this.#pty.resume();
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#exit === undefined) process.kill(this.pid, signal);
  }

  /**
   * Resolves when the text is on the screen.
   *
   * @throws with the whole screen after the timeout
   */
  async waitForText(text: string | RegExp): Promise<void> {
    await this.waitFor(
      (screen) => (typeof text === 'string' ? screen.includes(text) : text.test(screen)),
      String(text),
    );
  }

  /** Resolves when the text is no longer on the screen. */
  async waitForNoText(text: string): Promise<void> {
    await this.waitFor((screen) => !screen.includes(text), `no ${text}`);
  }

  async waitFor(holds: (screen: string) => boolean, what: string): Promise<void> {
    await vi.waitFor(() => {
      if (holds(this.screen.text)) return;
      const end = this.#exit === undefined ? '' : ` The program ended with ${JSON.stringify(this.#exit)}.`;
      throw new Error(`Waited for ${what}.${end} The screen is:\n${this.screen.text.trimEnd()}`);
    });
  }

  /** Ends the program like a closed terminal window, if necessary by force. */
  async close(): Promise<PtyExit> {
    if (this.#exit === undefined) {
      this.flow();
      this.kill('SIGHUP');
      const timer = setTimeout(() => this.kill('SIGKILL'), PATIENCE.timeout / 4);
      await this.exited;
      clearTimeout(timer);
    }
    this.screen.dispose();
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
