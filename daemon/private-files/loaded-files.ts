import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '../log/log.ts';
import { replaceOwnFile } from './replace-own-file.ts';

/**
 * The environment variable from which libraries for Sensu Core handlers and checks read the path of the list (clients
 * 5).
 */
const LIST_PATH_VARIABLE = 'SENSU_LOADED_TEMPFILE';

const LIST_FILE = 'loaded-files';

/** Only JSON files are listed, because all readers of the list parse JSON. */
const JSON_FILE = /\.json$/;

/**
 * A file that lists the configuration files that were read. Commands of handlers, mutators and checks find their own
 * settings in these files. Disposal deletes the list.
 */
export class LoadedFiles implements AsyncDisposable {
  readonly #path: string;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #text: string | undefined;

  constructor(stateDir: string, log: Log) {
    this.#path = resolve(join(stateDir, LIST_FILE));
    this.#log = log;
  }

  /** The environment variable that every command gets, as `NAME=value`. */
  get environment(): readonly string[] {
    return [`${LIST_PATH_VARIABLE}=${this.#path}`];
  }

  /** Writes the list. If that fails, commands find no list, and the program continues. Never rejects. */
  async write(files: readonly string[]): Promise<void> {
    const text = files
      .filter((file) => JSON_FILE.test(file))
      .map((file) => resolve(file))
      .join(':');
    if (text === this.#text) return;
    this.#text = text;
    // Writes run one after the other, so that the newest list remains.
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
        'could not write the file that lists the configuration files: handlers that read their settings from it will fail',
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
