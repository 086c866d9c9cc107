import { performance } from 'node:perf_hooks';
import { spawn, type IPty } from '@lydell/node-pty';

const ECHO_PROGRAM = `process.stdin.setRawMode(true).on('data', (keys) => process.stdout.write(keys)); process.stdout.write('!');`;

/**
 * A program that only echoes keys. It shows the minimum time from a key to its output on this machine at this moment.
 */
export class EchoTerminal implements AsyncDisposable {
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  #onData: (() => void) | undefined;

  private constructor() {
    this.#pty = spawn(process.execPath, ['-e', ECHO_PROGRAM], { encoding: null });
    this.#exited = new Promise((resolve) => void this.#pty.onExit(() => resolve()));
    this.#pty.onData(() => this.#onData?.());
  }

  static async open(): Promise<EchoTerminal> {
    const terminal = new EchoTerminal();
    await terminal.#answer();
    return terminal;
  }

  /**
   * Presses a key and waits for its echo.
   *
   * @returns milliseconds until the echo arrived
   */
  async press(): Promise<number> {
    const pressedAt = performance.now();
    this.#pty.write('j');
    await this.#answer();
    return performance.now() - pressedAt;
  }

  async #answer(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onData = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pty.kill('SIGKILL');
    await this.#exited;
  }
}
