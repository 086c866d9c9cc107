import type { RandomChoices } from './random-choices.ts';
import { outcomeOf } from './outcome.ts';

/** Maximum number of problems that a writer keeps open while it runs; it resolves others. */
const OPEN_MAX = 12;

type ProblemState = 'open' | 'resolved' | 'unknown';

/**
 * Opens problems that escalate, acknowledges some of them for a while, and resolves some. Each problem has a check of
 * its own, so that a notification belongs to exactly one problem.
 */
export class EscalationWriter {
  readonly #client: string;
  readonly #random: RandomChoices;
  /** The known state of each problem, by the name of its check. */
  readonly #problems = new Map<string, ProblemState>();
  readonly #acknowledged = new Set<string>();
  #count = 0;

  constructor(client: string, random: RandomChoices) {
    this.#client = client;
    this.#random = random;
  }

  /** Number of problems whose opening the backend has acknowledged. */
  opened = 0;

  /** The names of the checks whose problems are certainly open, or certainly resolved. */
  checksOf(state: ProblemState): readonly string[] {
    return [...this.#problems].flatMap(([check, one]) => (one === state ? [check] : []));
  }

  /** Changes problems until the backend has stopped. */
  async run(url: string): Promise<void> {
    for (;;) {
      const open = this.checksOf('open');
      const check = open[this.#random.below(open.length)];
      const choice = this.#random.below(4);
      const isAnswered =
        check === undefined || choice === 0
          ? await this.#open(url)
          : choice === 1 && open.length > OPEN_MAX
            ? await this.#resolve(url, check)
            : await this.#toggleAcknowledgement(url, check);
      if (!isAnswered) return;
    }
  }

  /** Removes all acknowledgements, so that all escalations continue. */
  async unacknowledgeAll(url: string): Promise<void> {
    for (const check of this.#acknowledged) {
      await outcomeOf(url, { method: 'DELETE', path: `/api/mon/v1/acknowledgements/${this.#client}/${check}` });
    }
  }

  async #open(url: string): Promise<boolean> {
    const check = `${this.#client}-${String(++this.#count)}`;
    const isDone = await this.#report(url, check, 2);
    this.#problems.set(check, isDone ? 'open' : 'unknown');
    if (isDone) this.opened++;
    return isDone;
  }

  async #resolve(url: string, check: string): Promise<boolean> {
    const isDone = await this.#report(url, check, 0);
    this.#problems.set(check, isDone ? 'resolved' : 'unknown');
    return isDone;
  }

  async #report(url: string, name: string, status: number): Promise<boolean> {
    const body = { source: this.#client, name, output: 'x', status, handlers: ['page'] };
    const outcome = await outcomeOf(url, { method: 'POST', path: '/results', body });
    if (outcome.kind === 'answered' && outcome.status !== 202) throw new Error(JSON.stringify(outcome));
    return outcome.kind === 'answered';
  }

  async #toggleAcknowledgement(url: string, check: string): Promise<boolean> {
    const path = '/api/mon/v1/acknowledgements';
    const isRemoved = this.#acknowledged.has(check) && this.#random.below(2) === 0;
    const outcome = isRemoved
      ? await outcomeOf(url, { method: 'DELETE', path: `${path}/${this.#client}/${check}` })
      : await outcomeOf(url, { method: 'POST', path, body: { client: this.#client, check } });
    // It is unknown whether a request without a response was executed, so the acknowledgement is removed at the end.
    this.#acknowledged.add(check);
    return outcome.kind === 'answered';
  }
}
