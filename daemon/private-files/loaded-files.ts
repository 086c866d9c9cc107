import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '../log/log.ts';
import { replaceOwnFile } from './replace-own-file.ts';

/** Where the libraries of handlers and checks for the legacy service look for the list (clients 5). */
const VARIABLE = 'SENSU_LOADED_TEMPFILE';

const FILE = 'loaded-files';

/** Whatever opens one of them reads JSON. */
const JSON_FILE = /\.json$/;

/**
 * A list of the configuration files that were read, for the commands of handlers, mutators and checks, which find their
 * own settings in there. It is gone when it is disposed.
 */
export class LoadedFiles implements AsyncDisposable {
  readonly #path: string;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #text: string | undefined;

  constructor(stateDir: string, log: Log) {
    this.#path = resolve(join(stateDir, FILE));
    this.#log = log;
  }

  /** For every command, `NAME=value`. */
  get environment(): readonly string[] {
    return [`${VARIABLE}=${this.#path}`];
  }

  /** Where it cannot be written, commands find no list, and the program goes on. Never rejects. */
  async write(files: readonly string[]): Promise<void> {
    const text = files
      .filter((file) => JSON_FILE.test(file))
      .map((file) => resolve(file))
      .join(':');
    if (text === this.#text) return;
    this.#text = text;
    // One after the other, so that the newest stays.
    this.#last = this.#replace(this.#last, text);
    await this.#last;
  }

  async #replace(before: Promise<void>, text: string): Promise<void> {
    await before;
    try {
      await replaceOwnFile(this.#path, text);
    } catch (error) {
      this.#log.warn(
        { file: this.#path, reason: error instanceof Error ? error.message : String(error) },
        'list of configuration files could not be written, so handler commands cannot read it',
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
