/** Tasks that follow one another, whatever becomes of those before. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. */
  take<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** When all that were given until now are over. */
  get over(): Promise<unknown> {
    return this.#last;
  }
}
