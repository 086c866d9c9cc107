import type { TimelinePage } from '../../shared/schemas/timeline.ts';
import type { RandomChoices } from './random-choices.ts';
import { outcomeOf, type Outcome } from './outcome.ts';

const CHECKS = 3;
const STATUSES = [0, 1, 2];

interface Reported {
  readonly status: number;
  readonly output: string;
}

/**
 * Reports results of one client, each with a status that differs from the check's previous one, so that each is a
 * transition. It records which results are stored.
 */
export class GroupedWriter {
  readonly client: string;
  readonly #rack: string;
  readonly #random: RandomChoices;
  /** All results that are known to be stored, by check, the oldest first. */
  readonly #storedResults = new Map<string, Reported[]>();
  /** Number of results that were already compared with the timeline, by check. */
  readonly #compared = new Map<string, number>();
  /** The last result, if its response was lost, so that it is unknown whether it was stored. */
  #open: (Reported & { readonly check: string }) | undefined;
  #count = 0;

  constructor(client: string, rack: string, random: RandomChoices) {
    this.client = client;
    this.#rack = rack;
    this.#random = random;
  }

  get acknowledged(): number {
    return [...this.#storedResults.values()].reduce((sum, reported) => sum + reported.length, 0);
  }

  /** Creates the client of this writer before it reports the first result. */
  async register(url: string): Promise<void> {
    const body = { name: this.client, address: '192.0.2.1', subscriptions: [], rack: this.#rack };
    statusOf(await outcomeOf(url, { method: 'POST', path: '/clients', body }), 201);
  }

  /**
   * Finds out whether the last result before the kill was stored, and compares the timeline: it must contain each
   * stored result once and in order.
   */
  async compare(url: string): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) {
      const path = `/results/${this.client}/${open.check}`;
      const result = await outcomeOf(url, { method: 'GET', path });
      const body = result.kind === 'answered' && result.status === 200 ? (result.body as SentResult) : undefined;
      if (body?.check.output === open.output) this.#recordStored(open.check, open);
    }
    for (const [check, reported] of this.#storedResults) {
      const before = this.#compared.get(check) ?? 0;
      const fresh = reported.slice(before);
      this.#compared.set(check, reported.length);
      const told = await this.#timelineOf(url, check, fresh.length + 1);
      const expected = reported.slice(Math.max(0, before - 1)).map(({ status }) => status);
      if (JSON.stringify(told) !== JSON.stringify(expected)) {
        throw new Error(`${this.client}/${check}: the timeline has ${told.join()}, expected ${expected.join()}`);
      }
    }
  }

  /** Reports results until the backend has stopped. */
  async run(url: string): Promise<void> {
    for (;;) {
      const check = `check-${String(this.#random.below(CHECKS))}`;
      const last = this.#storedResults.get(check)?.at(-1)?.status ?? 0;
      const others = STATUSES.filter((status) => status !== last);
      const status = others[this.#random.below(others.length)] ?? 2;
      const reported = { check, status, output: `${this.client} ${String(++this.#count)}` };
      const body = { source: this.client, name: check, output: reported.output, status };
      const outcome = await outcomeOf(url, { method: 'POST', path: '/results', body });
      if (outcome.kind !== 'answered') {
        if (outcome.kind === 'unknown') this.#open = reported;
        return;
      }
      statusOf(outcome, 202);
      this.#recordStored(check, reported);
    }
  }

  #recordStored(check: string, { status, output }: Reported): void {
    const reported = this.#storedResults.get(check);
    if (reported === undefined) this.#storedResults.set(check, [{ status, output }]);
    else reported.push({ status, output });
  }

  /** Returns the statuses of the last `count` transitions, the oldest first. */
  async #timelineOf(url: string, check: string, count: number): Promise<readonly (number | undefined)[]> {
    const statuses: (number | undefined)[] = [];
    // The pages also contain silences of the client, so several pages may be needed.
    let after: number | null = null;
    do {
      const more: string = after === null ? '' : `&after=${String(after)}`;
      const query = `client=${this.client}&check=${check}&limit=1000${more}`;
      const page = (await (await fetch(`${url}/api/mon/v1/timeline?${query}`)).json()) as TimelinePage;
      statuses.push(...page.transitions.filter(({ client }) => client !== undefined).map(({ status }) => status));
      after = page.next;
    } while (statuses.length < count && after !== null);
    return statuses.slice(0, count).toReversed();
  }
}

interface SentResult {
  readonly check: { readonly output: string };
}

function statusOf(outcome: Outcome, expected: number): void {
  if (outcome.kind !== 'answered' || outcome.status !== expected) {
    throw new Error(`${JSON.stringify(outcome)}, expected ${String(expected)}`);
  }
}
