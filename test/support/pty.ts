import { spawn, type IPty } from '@lydell/node-pty';
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { Screen } from './screen.ts';
import { placesEnv } from './administrator.ts';

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** Variables that are added to a minimal environment. `TERM` is `xterm-256color` by default. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a program ended; `signal` is the number of the signal that ended it, 0 if none did. */
export interface PtyExit {
  readonly exitCode: number;
  readonly signal: number;
}

/** A program that runs in a pseudo-terminal, with the screen that results from its output. */
export class Pty implements AsyncDisposable {
  readonly screen: Screen;
  readonly exited: Promise<PtyExit>;
  readonly #pty: IPty;
  #exit: PtyExit | undefined;

  constructor(program: string, programArguments: readonly string[], options: PtyOptions = {}) {
    const { columns = 120, rows = 36, cwd = process.cwd(), env = {} } = options;
    this.screen = new Screen({ columns, rows });
    this.#pty = spawn(program, [...programArguments], {
      // The library sets `TERM` to this name, and ignores the variable in `env`.
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd,
      // The program does not inherit the environment of the tests, because variables such as `CI` or `NO_COLOR` would
      // change its output.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...placesEnv(),
        LANG: 'C.UTF-8',
        COLORTERM: 'truecolor',
        ...env,
      },
      // The output is delivered as bytes, because as text it could be split inside a character.
      encoding: null,
    });
    this.#pty.onData((bytes) => this.screen.feed(bytes));
    this.screen.onResponse((answer) => this.write(answer));
    const { promise, resolve } = Promise.withResolvers<PtyExit>();
    this.exited = promise;
    this.#pty.onExit(({ exitCode, signal = 0 }) => {
      const exit = { exitCode, signal };
      this.#exit = exit;
      // All output has been read by now, but it may not be on the screen yet.
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

  /** Stops reading the output until `flow` is called, as after Ctrl-S or on a broken connection. */
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
   * @throws Error with the text of the screen if the text does not appear in time
   */
  async waitForText(text: string | RegExp): Promise<void> {
    await this.waitFor(
      (screen) => (typeof text === 'string' ? screen.includes(text) : text.test(screen)),
      String(text),
    );
  }

  /** Resolves when the text is not on the screen, or no longer. */
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

  /** Ends the program as a closed terminal window does; if it does not end, it is killed. */
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
