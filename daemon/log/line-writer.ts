import { closeSync, openSync, writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/** Of a new one. One that is there keeps its mode, which somebody may have chosen. */
const FILE_MODE = 0o600;

/**
 * How long lines wait to be written together: a write for each answer of a busy API would cost more than many an
 * answer.
 */
const WAIT_MS = 100;
const TOGETHER_BYTES = 16 * 1024;

/** What is kept while a pipe takes nothing; lines beyond are lost rather than the memory. */
const WAITING_BYTES_MAX = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Writes lines to a file or to standard output. No failure comes out of it: a full disk or a closed pipe costs lines of
 * the log, never the monitoring.
 */
export class LineWriter implements Disposable {
  readonly #file: string | undefined;
  #descriptor: number;
  /** Of what a full pipe took only in part. */
  #rest = NOTHING;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param file appended to; undefined: `descriptor`
   * @throws Error when the file cannot be opened
   */
  constructor(file: string | undefined, descriptor = STANDARD_OUTPUT) {
    this.#file = file;
    this.#descriptor = file === undefined ? descriptor : openSync(file, 'a', FILE_MODE);
  }

  /** Takes a line; it is written soon, or by the next `flush`. */
  write(line: string): void {
    if (this.#rest.length + this.#waiting.length + line.length > WAITING_BYTES_MAX) return;
    this.#waiting += line;
    if (this.#waiting.length >= TOGETHER_BYTES) this.flush();
    else this.#flushLater();
  }

  /** Writes what waits, as far as the other side takes it. */
  flush(): void {
    let bytes = Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#descriptor, bytes));
    } catch (error) {
      // A pipe that is full will be read; for anything else there is no remedy here.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) bytes = NOTHING;
    }
    this.#rest = bytes;
    if (bytes.length > 0) this.#flushLater();
  }

  /** Goes on in a new file of the same name, after the old one was renamed (logrotate); nothing for standard output. */
  reopen(): void {
    if (this.#file === undefined) return;
    this.flush();
    try {
      const next = openSync(this.#file, 'a', FILE_MODE);
      closeSync(this.#descriptor);
      this.#descriptor = next;
    } catch {
      // The old file goes on, which loses nothing.
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.flush();
    if (this.#file !== undefined) closeSync(this.#descriptor);
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, WAIT_MS).unref();
  }
}
