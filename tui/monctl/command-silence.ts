import { errorMessage, MonError } from '../../shared/errors.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { commandSilenceId } from '../../shared/domain/maintenance.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { HOLD_SECONDS_MAX, type HoldRequest } from '../../shared/schemas/maintenance.ts';

/**
 * Interval of renewals. Each renewal extends the silence to 60 s from then, so three further renewals are due before it
 * expires.
 */
const RENEW_INTERVAL_MS = 15_000;

/** Delay before a failed request to create or renew the silence is retried. */
const RETRY_MS = 3000;

interface CommandSilenceDependencies {
  readonly api: Pick<ApiClient, 'holdSilence' | 'releaseSilence'>;
  readonly clock: FeedClock;
  /** The target, reason and creator of the silence, and the id of the command run. */
  readonly target: Omit<HoldRequest, 'seconds' | 'renews'>;
  /** Maximum lifetime of the silence in seconds, as set by `--max`. */
  readonly maxSeconds: number;
  /** Prints a message for the user: the silence failed, is active again, or has reached its maximum lifetime. */
  readonly say: (text: string) => void;
}

/**
 * The silence of `monctl maintenance run`: it is active while this process renews it, and expires within a minute after
 * the last renewal. A failed renewal is reported once and retried, unless no retry can help.
 */
export class CommandSilence {
  readonly #dependencies: CommandSilenceDependencies;
  readonly #endMs: number;
  #timer: Disposable | undefined;
  #runningRenewal: Promise<void> | undefined;
  /**
   * Time when the silence expires if it is not renewed, in epoch milliseconds. `undefined` if it was never created, or
   * after an error that a retry cannot fix.
   */
  #expiresAtMs: number | undefined;
  #isFailing = false;
  #isOver = false;

  constructor(dependencies: CommandSilenceDependencies) {
    this.#dependencies = dependencies;
    this.#endMs = dependencies.clock.now() + dependencies.maxSeconds * 1000;
  }

  /**
   * Creates the silence and starts to renew it.
   *
   * @param retriesOnFailure true to report a failed creation and retry it; false to throw the error
   * @throws MonError with the reason why the silence cannot be created
   */
  async begin(retriesOnFailure: boolean): Promise<void> {
    try {
      await this.#createOrRenew();
    } catch (error) {
      if (!retriesOnFailure) throw error;
      this.#handleFailure(error);
    }
    this.#scheduleRenewal();
  }

  /**
   * Stops the renewals and ends the silence. If the request fails, a message says that the silence will expire by
   * itself.
   */
  async end(): Promise<void> {
    const wasOver = this.#isOver;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#runningRenewal;
    if (wasOver || this.#expiresAtMs === undefined) return;
    const { api, target, say } = this.#dependencies;
    const { subscription, check, selector, run } = target;
    try {
      await api.releaseSilence({ run, ...withoutUndefined({ subscription, check, selector }) });
    } catch (error) {
      say(`the silence could not be ended (${errorMessage(error)}): it expires within a minute`);
    }
  }

  #scheduleRenewal(): void {
    if (this.#isOver) return;
    const { clock, say } = this.#dependencies;
    const leftMs = this.#endMs - clock.now();
    if (leftMs <= 0) {
      this.#isOver = true;
      say('--max is reached: the command continues without a silence');
      return;
    }
    this.#timer = clock.after(Math.min(leftMs, this.#isFailing ? RETRY_MS : RENEW_INTERVAL_MS), () => {
      this.#runningRenewal = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    try {
      if (this.#endMs > this.#dependencies.clock.now()) await this.#createOrRenew();
      if (this.#isFailing) this.#dependencies.say('silenced again');
      this.#isFailing = false;
    } catch (error) {
      this.#handleFailure(error);
    }
    this.#scheduleRenewal();
  }

  async #createOrRenew(): Promise<void> {
    const { api, clock, target } = this.#dependencies;
    const requestedAtMs = clock.now();
    const seconds = Math.min(HOLD_SECONDS_MAX, Math.ceil((this.#endMs - requestedAtMs) / 1000));
    const renews = this.#expiresAtMs !== undefined && requestedAtMs < this.#expiresAtMs;
    await api.holdSilence({ ...target, seconds, ...(renews && { renews }) });
    this.#expiresAtMs = requestedAtMs + seconds * 1000;
  }

  #handleFailure(error: unknown): void {
    const { say, target } = this.#dependencies;
    if (error instanceof MonError && PERMANENT_ERRORS.has(error.code)) {
      this.#isOver = true;
      this.#expiresAtMs = undefined;
      say(`not silenced, and no retry can help: ${error.message}`);
      return;
    }
    if (!this.#isFailing) say(`${commandSilenceId(target)} could not be renewed, retrying: ${errorMessage(error)}`);
    this.#isFailing = true;
  }
}

/** Codes of the errors that a retry cannot fix. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  'invalid',
  'not_found',
  'conflict',
  'unauthenticated',
  'forbidden',
  'threshold',
]);
