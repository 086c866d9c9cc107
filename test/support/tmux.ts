import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { vi } from 'vitest';
import { tempDir } from './temp-dir.ts';

const run = promisify(execFile);

/** True if tmux is installed on this machine. */
export function hasTmux(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

/** A detached tmux session with a shell. Disposing of it ends all its processes. */
export class Tmux implements AsyncDisposable {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  static async open({ columns, rows }: { readonly columns: number; readonly rows: number }): Promise<Tmux> {
    const tmux = new Tmux(join(await tempDir(), 'tmux'));
    const size = ['-x', String(columns), '-y', String(rows)];
    await tmux.#ask('-f', '/dev/null', 'new-session', '-d', ...size, 'env PS1="shell> " sh');
    return tmux;
  }

  /** Types text in the shell; `\r` stands for Enter. */
  async type(keys: string): Promise<void> {
    await this.#ask('send-keys', '-l', keys);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#ask('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Returns the current lines of the screen. */
  async capture(): Promise<readonly string[]> {
    return (await this.#ask('capture-pane', '-p')).replace(/\n$/, '').split('\n');
  }

  /** Returns the text of the newest buffer. */
  async buffer(): Promise<string> {
    return this.#ask('show-buffer');
  }

  /** Returns a property of the terminal. The argument is a tmux format such as `#{cursor_flag}`. */
  async terminalProperty(format: string): Promise<string> {
    return (await this.#ask('display-message', '-p', format)).trimEnd();
  }

  /**
   * Waits until the screen contains a text.
   *
   * @throws Error with the text of the screen if the text does not appear in time
   */
  async waitForText(text: string | RegExp): Promise<void> {
    await vi.waitFor(async () => {
      const screen = (await this.capture()).join('\n');
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return;
      throw new Error(`Waited for ${String(text)}. The screen is:\n${screen}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ask('kill-server');
  }

  async #ask(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-S', this.#socket, ...words]);
    return stdout;
  }
}
