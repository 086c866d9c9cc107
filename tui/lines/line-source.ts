/** Queue of typed lines, which the console reads one at a time. */
export class LineSource {
  readonly #lines: string[] = [];
  #pendingRead: ((line: string | undefined) => void) | undefined;
  #isEnded = false;

  push(line: string): void {
    if (this.#pendingRead === undefined) this.#lines.push(line);
    else this.#deliver(line);
  }

  /** Ends the input: after the queued lines, `next` returns `undefined`. */
  end(): void {
    this.#isEnded = true;
    if (this.#pendingRead !== undefined) this.#deliver(undefined);
  }

  /**
   * Waits for the next typed line.
   *
   * @returns `undefined` at the end of the input
   */
  async next(): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#isEnded) return line;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#pendingRead = resolve;
    return promise;
  }

  #deliver(line: string | undefined): void {
    const pendingRead = this.#pendingRead;
    this.#pendingRead = undefined;
    pendingRead?.(line);
  }
}
