import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/** The period of one rate in milliseconds. The retained rates cover fifteen minutes. */
export const RATE_PERIOD_MS = 10_000;
const RATES_MAX = 90;

/** Duration of a bucket. The current bucket and the five before it cover the last fifty to sixty minutes. */
const BUCKET_MS = 600_000;
const BUCKET_COUNT = 6;

/** The maximum number of checks per namespace and bucket. Event changes of further checks are not counted. */
const CHECKS_MAX = 10_000;

interface ActivityDependencies {
  readonly commits: Pick<CommitBoard, 'onCommit' | 'results'>;
  readonly clock: Clock;
}

/**
 * The recent activity of the backend: result rates and event changes per check. It is kept in memory, has a bounded
 * size, and is empty when the process starts.
 */
export class Activity implements Disposable {
  readonly #clock: Clock;
  readonly #buckets: { readonly startMs: number; readonly events: Map<string, Map<string, number>> }[] = [];
  readonly #rates: number[] = [];
  readonly #parts = new DisposableStack();

  constructor({ commits, clock }: ActivityDependencies) {
    this.#clock = clock;
    const listening = commits.onCommit(({ changes }) => {
      for (const change of changes) {
        if (change[0] === 'event') this.#noteEvent(change[1], change[3]);
      }
    });
    this.#parts.use(listening);
    this.#parts.use(sampleRates(commits, clock, (rate) => this.#noteRate(rate)));
  }

  /** Committed results per second in each period of ten seconds, oldest first. */
  get rates(): readonly number[] {
    return this.#rates;
  }

  /** Returns the `count` checks of a namespace with the most event changes in the last hour, most changes first. */
  noisiest(count: number, namespace = DEFAULT_NAMESPACE): { readonly check: string; readonly events: number }[] {
    const oldestMs = this.#clock.monotonic() - BUCKET_COUNT * BUCKET_MS;
    const totals = new Map<string, number>();
    for (const { startMs, events } of this.#buckets) {
      if (startMs <= oldestMs) continue;
      for (const [check, some] of events.get(namespace) ?? []) totals.set(check, (totals.get(check) ?? 0) + some);
    }
    return [...totals]
      .map(([check, events]) => ({ check, events }))
      .toSorted((a, b) => b.events - a.events || (a.check < b.check ? -1 : 1))
      .slice(0, count);
  }

  [Symbol.dispose](): void {
    this.#parts.dispose();
  }

  #noteEvent(namespace: string, check: string): void {
    const bucket = this.#bucket();
    const events = bucket.events.get(namespace) ?? new Map<string, number>();
    bucket.events.set(namespace, events);
    const count = events.get(check);
    if (count !== undefined) events.set(check, count + 1);
    else if (events.size < CHECKS_MAX) events.set(check, 1);
  }

  #bucket(): { readonly events: Map<string, Map<string, number>> } {
    const startMs = Math.floor(this.#clock.monotonic() / BUCKET_MS) * BUCKET_MS;
    const last = this.#buckets.at(-1);
    if (last?.startMs === startMs) return last;
    const bucket = { startMs, events: new Map<string, Map<string, number>>() };
    this.#buckets.push(bucket);
    if (this.#buckets.length > BUCKET_COUNT) this.#buckets.shift();
    return bucket;
  }

  #noteRate(rate: number): void {
    this.#rates.push(rate);
    if (this.#rates.length > RATES_MAX) this.#rates.shift();
  }
}

function sampleRates(
  commits: Pick<CommitBoard, 'results'>,
  clock: Clock,
  note: (resultsPerSecond: number) => void,
): Disposable {
  let { results } = commits;
  let atMs = clock.monotonic();
  return clock.every(RATE_PERIOD_MS, () => {
    const nowMs = clock.monotonic();
    // Divide by the elapsed time instead of the period, because a late timer must not look like a burst of results.
    const perSecond = ((commits.results - results) * 1000) / Math.max(1, nowMs - atMs);
    note(Math.round(perSecond * 10) / 10);
    ({ results } = commits);
    atMs = nowMs;
  });
}
