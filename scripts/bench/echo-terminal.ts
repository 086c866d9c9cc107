import { performance } from 'node:perf_hooks';
import { spawn, type IPty } from '@lydell/node-pty';

const PROGRAM = `process.stdin.setRawMode(true).on('data', (keys) => process.stdout.write(keys)); process.stdout.write('!');`;

/**
 * A program that only sends back what is typed: what a key takes on this machine, at this time, whoever answers it.
 */
export class EchoTerminal implements AsyncDisposable {
  readonly #pty: IPty;
  readonly #exited: Promise<void>;
  #onData: (() => void) | undefined;

  private constructor() {
    this.#pty = spawn(process.execPath, ['-e', PROGRAM], { encoding: null });
    this.#exited = new Promise((resolve) => void this.#pty.onExit(() => resolve()));
    this.#pty.onData(() => this.#onData?.());
  }

  static async open(): Promise<EchoTerminal> {
    const terminal = new EchoTerminal();
    await terminal.#answer();
    return terminal;
  }

  /** @returns milliseconds */
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
