/** Runs asynchronous tasks one after another, even if earlier tasks fail. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Queues a task. The returned promise resolves or rejects with the outcome of the task. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks that are queued so far have ended, whether or not they failed. */
  get allDone(): Promise<unknown> {
    return this.#last;
  }
}
