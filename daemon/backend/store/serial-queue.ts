/** Runs tasks one after another, even if earlier tasks fail. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Queues a task. The returned promise settles as the task does. */
  take<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Settles when all tasks queued so far are done. */
  get over(): Promise<unknown> {
    return this.#last;
  }
}
