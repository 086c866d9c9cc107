/** The typed lines, for a conversation that reads one at a time. Lines that are typed ahead are queued. */
export class LineSource {
  readonly #lines: string[] = [];
  #pendingRead: ((line: string | undefined) => void) | undefined;
  #isEnded = false;

  push(line: string): void {
    if (this.#pendingRead === undefined) this.#lines.push(line);
    else this.#give(line);
  }

  /** Ends the input: no more lines follow. */
  end(): void {
    this.#isEnded = true;
    if (this.#pendingRead !== undefined) this.#give(undefined);
  }

  /**
   * Waits for the next line.
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

  #give(line: string | undefined): void {
    const pendingRead = this.#pendingRead;
    this.#pendingRead = undefined;
    pendingRead?.(line);
  }
}
