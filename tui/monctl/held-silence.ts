import { errorMessage, MonError } from '../../shared/errors.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { heldId } from '../../shared/domain/maintenance.ts';
import { given } from '../../shared/domain/given.ts';
import { HOLD_SECONDS_MAX, type HoldRequest } from '../../shared/schemas/maintenance.ts';

/** So often a silence is renewed: three times before it would end. */
const BEAT_MS = 15_000;

/** So soon again when a backend could not be reached. */
const RETRY_MS = 3000;

interface HeldSilenceParts {
  readonly api: Pick<ApiClient, 'holdSilence' | 'releaseSilence'>;
  readonly clock: FeedClock;
  /** What is silenced, why and by whom. */
  readonly target: Omit<HoldRequest, 'seconds' | 'renews'>;
  /** At most so long. */
  readonly maxSeconds: number;
  /** Tells whoever runs the command what is no longer as expected. */
  readonly say: (text: string) => void;
}

/** A silence that lasts as long as somebody renews it. What goes wrong on the way is said once, and tried again. */
export class HeldSilence {
  readonly #parts: HeldSilenceParts;
  readonly #endMs: number;
  #timer: Disposable | undefined;
  #beating: Promise<void> | undefined;
  /** Until when it lasts as it is, epoch milliseconds; undefined: it was never made. */
  #heldUntilMs: number | undefined;
  #isAway = false;
  #isOver = false;

  constructor(parts: HeldSilenceParts) {
    this.#parts = parts;
    this.#endMs = parts.clock.now() + parts.maxSeconds * 1000;
  }

  /**
   * Makes it, and renews it from here on.
   *
   * @param isWilling goes on when it cannot be made, and tries again
   * @throws MonError why it cannot be made
   */
  async begin(isWilling: boolean): Promise<void> {
    try {
      await this.#hold();
    } catch (error) {
      if (!isWilling) throw error;
      this.#failed(error);
    }
    this.#plan();
  }

  /** Ends it; where that fails it ends by itself. */
  async end(): Promise<void> {
    const wasOver = this.#isOver;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#beating;
    if (wasOver || this.#heldUntilMs === undefined) return;
    const { api, target, say } = this.#parts;
    const { subscription, check, selector, run } = target;
    try {
      await api.releaseSilence({ run, ...given({ subscription, check, selector }) });
    } catch (error) {
      say(`the silence was not ended (${errorMessage(error)}): it expires within a minute`);
    }
  }

  #plan(): void {
    if (this.#isOver) return;
    const { clock, say } = this.#parts;
    const leftMs = this.#endMs - clock.now();
    if (leftMs <= 0) {
      this.#isOver = true;
      say('--max is reached: the command continues without a silence');
      return;
    }
    this.#timer = clock.after(Math.min(leftMs, this.#isAway ? RETRY_MS : BEAT_MS), () => {
      this.#beating = this.#beat();
    });
  }

  async #beat(): Promise<void> {
    try {
      if (this.#endMs > this.#parts.clock.now()) await this.#hold();
      if (this.#isAway) this.#parts.say('silenced again');
      this.#isAway = false;
    } catch (error) {
      this.#failed(error);
    }
    this.#plan();
  }

  async #hold(): Promise<void> {
    const { api, clock, target } = this.#parts;
    const askedMs = clock.now();
    const seconds = Math.min(HOLD_SECONDS_MAX, Math.ceil((this.#endMs - askedMs) / 1000));
    const renews = this.#heldUntilMs !== undefined && askedMs < this.#heldUntilMs;
    await api.holdSilence({ ...target, seconds, ...(renews && { renews }) });
    this.#heldUntilMs = askedMs + seconds * 1000;
  }

  #failed(error: unknown): void {
    const { say, target } = this.#parts;
    if (error instanceof MonError && LASTING.has(error.code)) {
      this.#isOver = true;
      this.#heldUntilMs = undefined;
      say(`not silenced, no retry: ${error.message}`);
      return;
    }
    if (!this.#isAway) say(`${heldId(target)} could not be renewed, retrying: ${errorMessage(error)}`);
    this.#isAway = true;
  }
}

/** What another attempt does not mend. */
const LASTING: ReadonlySet<string> = new Set([
  'invalid',
  'not_found',
  'conflict',
  'unauthenticated',
  'forbidden',
  'threshold',
]);
