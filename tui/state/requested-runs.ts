import { severityOf } from '../../shared/domain/severity.ts';
import type { EventTarget } from '../model/target.ts';
import { runOutcomesText, runsExpiredText, type RunOutcome } from '../words/run-text.ts';
import type { AwaitedRun } from './effects.ts';
import type { Screen } from './ports.ts';

/** Time for which the console waits for the results of requested runs, in milliseconds. */
const WAIT_MS = 30_000;

/** Interval at which the results are requested, in milliseconds. */
const POLL_MS = 1000;

/** Maximum number of runs whose results are requested; the results of further runs are only seen in the lists. */
const FOLLOWED_MAX = 20;

/** The runs that the user requested last. The console reports their outcome as soon as it is known. */
export class RequestedRuns {
  #waiting: readonly AwaitedRun[] = [];
  #outcomes: RunOutcome<EventTarget>[] = [];
  #requestedAtMs = 0;
  #polledAtMs = 0;

  /** Begins to wait for the results of these runs. Earlier runs are no longer waited for. */
  follow(runs: readonly AwaitedRun[], nowMs: number): void {
    this.#waiting = runs.slice(0, FOLLOWED_MAX);
    this.#outcomes = [];
    this.#requestedAtMs = nowMs;
    this.#polledAtMs = nowMs;
  }

  /** Stores the outcome of a run. Once all results have arrived, reports the outcome. */
  recordOutcome(store: Screen, { target, issued }: AwaitedRun, { status, output }: Omit<RunOutcome, 'target'>): void {
    const run = this.#waiting.find((one) => one.target.key === target.key && one.issued === issued);
    if (run === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== run);
    this.#outcomes.push({ target, status, output });
    if (this.#waiting.length > 0) return;
    const isOk = this.#outcomes.every((one) => severityOf(one.status) === 'ok');
    store.say(runOutcomesText(this.#outcomes), isOk ? 'done' : 'note');
  }

  /** Requests the results that have not arrived, or reports that they did not arrive in time. */
  poll(store: Screen, nowMs: number): void {
    if (this.#waiting.length === 0) return;
    if (nowMs - this.#requestedAtMs >= WAIT_MS) {
      const missing = this.#waiting.map(({ target }) => target);
      this.#waiting = [];
      return store.say(runsExpiredText(this.#outcomes, missing, WAIT_MS / 1000), 'problem');
    }
    if (nowMs - this.#polledAtMs < POLL_MS) return;
    this.#polledAtMs = nowMs;
    store.request({ kind: 'load-run-results', runs: this.#waiting });
  }
}
