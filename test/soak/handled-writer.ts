import type { RandomChoices } from './random-choices.ts';

const CHECKS = 3;

/** Reports one result after the other over HTTP, and records which events must have been handled. */
export class HandledWriter {
  readonly name: string;
  /** Names of the handlers that its results request. */
  readonly handlers: readonly string[];
  /** The outputs of the acknowledged results that are events. All outputs are different. */
  readonly expected: string[] = [];
  readonly #random: RandomChoices;
  #count = 0;

  constructor(name: string, handlers: readonly string[], random: RandomChoices) {
    this.name = name;
    this.handlers = handlers;
    this.#random = random;
  }

  /** Reports results until the backend has stopped. */
  async run(url: string): Promise<void> {
    // It is unknown whether a result without a response was stored, so each check begins with a failure.
    const isOpen = new Set<number>();
    for (;;) {
      const check = this.#random.below(CHECKS);
      const status = isOpen.has(check) ? this.#random.pick([0, 1, 2]) : 2;
      const output = `${this.name} ${String(++this.#count)}`;
      const { name: source, handlers } = this;
      const result = { source, name: `check-${String(check)}`, output, status, handlers };
      if (!(await isAcknowledged(url, result))) return;
      this.expected.push(output);
      if (status === 0) isOpen.delete(check);
      else isOpen.add(check);
    }
  }
}

async function isAcknowledged(url: string, result: object): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/results`, {
      method: 'POST',
      body: JSON.stringify(result),
    });
    await answer.arrayBuffer();
    if (answer.status !== 202) throw new Error(`a result was answered with ${String(answer.status)}`);
    return true;
  } catch (error) {
    // `fetch` throws a TypeError when the connection is closed because the backend has stopped.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
