import { closeSync, openSync, writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/** The mode of a new log file. An existing file keeps its mode, because an operator could have chosen it. */
const FILE_MODE = 0o600;

/**
 * The delay in which lines are collected for one write. With a write per response, a busy API would spend more time on
 * the log than on many of its responses.
 */
const WAIT_MS = 100;
const TOGETHER_BYTES = 16 * 1024;

/** Maximum number of bytes that wait while a pipe is full. Further lines are dropped, so that memory stays limited. */
const WAITING_BYTES_MAX = 1024 * 1024;

const NO_BYTES = Buffer.alloc(0);

/**
 * Writes lines to a file or to standard output. It reports no errors: a full disk or a closed pipe costs log lines, but
 * never stops the monitoring.
 */
export class LineWriter implements Disposable {
  readonly #file: string | undefined;
  #descriptor: number;
  /** The bytes of the last write that a full pipe did not accept. */
  #unwrittenBytes = NO_BYTES;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param file the file to append to; undefined to write to `descriptor`
   * @throws Error if the file cannot be opened
   */
  constructor(file: string | undefined, descriptor = STANDARD_OUTPUT) {
    this.#file = file;
    this.#descriptor = file === undefined ? descriptor : openSync(file, 'a', FILE_MODE);
  }

  /** Adds a line to the buffer. The line is written after a short delay, or by the next `flush`. */
  write(line: string): void {
    if (this.#unwrittenBytes.length + this.#waiting.length + line.length > WAITING_BYTES_MAX) return;
    this.#waiting += line;
    if (this.#waiting.length >= TOGETHER_BYTES) this.flush();
    else this.#flushLater();
  }

  /** Writes the waiting bytes, as far as the file or pipe accepts them. */
  flush(): void {
    let bytes = Buffer.concat([this.#unwrittenBytes, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#descriptor, bytes));
    } catch (error) {
      // A full pipe will be read later; after any other error the bytes are dropped.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) bytes = NO_BYTES;
    }
    this.#unwrittenBytes = bytes;
    if (bytes.length > 0) this.#flushLater();
  }

  /** Opens a new file of the same name after the old one was renamed (logrotate). Does nothing for standard output. */
  reopen(): void {
    if (this.#file === undefined) return;
    this.flush();
    try {
      const next = openSync(this.#file, 'a', FILE_MODE);
      closeSync(this.#descriptor);
      this.#descriptor = next;
    } catch {
      // The old file stays in use, so nothing is lost.
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
