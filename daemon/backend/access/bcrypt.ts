import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MonError } from '../../../shared/errors.ts';
import type { Clock } from '../ports.ts';

export interface BcryptTask {
  readonly id: number;
  readonly password: string;
  /** The hash with which the password is compared; undefined if the password is to be hashed. */
  readonly hash?: string | undefined;
}

export interface BcryptResponse {
  readonly id: number;
  readonly hash?: string;
  readonly isMatch?: boolean;
}

/** Path of the worker script for bcrypt. It is next to this file, even in a bundled build. */
const THREAD_PROGRAM_PATH = join(import.meta.dirname, `bcrypt-thread${extname(import.meta.filename)}`);

/** Idle time, in milliseconds, after which the thread ends. */
const IDLE_MS = 60_000;

/** Computes and compares bcrypt hashes in a separate thread, one hash at a time. */
export class Bcrypt implements AsyncDisposable {
  readonly #clock: Clock;
  #thread: Worker | undefined;
  #idle: Disposable | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<BcryptResponse>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async hash(password: string): Promise<string> {
    return (await this.#runTask(password)).hash ?? '';
  }

  async compare(password: string, hash: string): Promise<boolean> {
    return (await this.#runTask(password, hash)).isMatch === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#idle?.[Symbol.dispose]();
    await this.#thread?.terminate();
  }

  #runTask(password: string, hash?: string): Promise<BcryptResponse> {
    const task: BcryptTask = { id: ++this.#lastId, password, hash };
    const answer = Promise.withResolvers<BcryptResponse>();
    this.#waiting.set(task.id, answer);
    this.#idle?.[Symbol.dispose]();
    this.#running().postMessage(task, []);
    return answer.promise;
  }

  #running(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(THREAD_PROGRAM_PATH);
    thread.unref();
    thread.on('message', (answer: BcryptResponse) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size > 0) return;
      this.#idle = this.#clock.after(IDLE_MS, () => void thread.terminate());
    });
    thread.on('error', (error) => this.#fail(error));
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      this.#fail(undefined);
    });
    this.#thread = thread;
    return thread;
  }

  #fail(cause: unknown): void {
    const error = new MonError('unavailable', 'password verification stopped unexpectedly: try again', { cause });
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
