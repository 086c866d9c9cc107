/** Runs tasks one after another, even if earlier tasks fail. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Queues a task. The returned promise settles as the task does. */
  take<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Settles when all tasks queued so far are done. */
  get over(): Promise<unknown> {
    return this.#last;
  }
}
