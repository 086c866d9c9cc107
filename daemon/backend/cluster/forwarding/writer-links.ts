import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { Seldom } from '../../../log/seldom.ts';
import type { Clock } from '../../ports.ts';
import type { Leadership, PeerPlace } from './leadership.ts';
import { UnansweredError, UnsentError, PeerLink, type LinkParts } from './peer-link.ts';

/** How long something waits for a backend that takes it. */
const PATIENCE_MS = 5000;

/** How soon it is tried again: who writes next is known a moment later. */
const AGAIN_MS = 100;

/** How soon it is noticed that another one writes, so that nobody waits for one that is frozen. */
const LOOK_MS = 250;

/** How long one that has handed over may take for what it has begun. */
const GRACE_MS = 1000;

interface WriterLinkParts extends Pick<LinkParts, 'signatures'> {
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
}

/** The way to the backend that writes, whichever that is. */
export class WriterLinks implements Disposable {
  readonly #parts: WriterLinkParts;
  /** Told when another one writes. */
  readonly #onMove: (writerId: string) => void;
  readonly #open = new Set<PeerLink>();
  readonly #timer: Disposable;
  readonly #told: Seldom;
  #current: PeerLink | undefined;
  #isLooking = false;

  constructor(parts: WriterLinkParts, onMove: (writerId: string) => void) {
    this.#parts = parts;
    this.#onMove = onMove;
    this.#told = new Seldom(parts.log, parts.clock);
    this.#timer = parts.clock.every(LOOK_MS, () => void this.#look());
  }

  /**
   * Does something at the backend that writes; again, and with the next one, for as long as it was not taken.
   *
   * @param attempt undefined: it was not taken there
   * @returns `self` when this backend writes by then
   * @throws MonError `unavailable` when nobody takes it in time, or when nobody knows whether it was done
   */
  async withWriter<T>(attempt: (link: PeerLink) => Promise<T | undefined>, signal?: AbortSignal): Promise<T | 'self'> {
    const { leadership, clock } = this.#parts;
    const endMs = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const place = await leadership.writer(signal);
      if (place === 'self') return 'self';
      const done = await attempt(this.#to(place)).catch((error: unknown) => this.#refuseUnanswered(place, error));
      if (done !== undefined) return done;
      if (clock.monotonic() + AGAIN_MS > endMs) {
        throw new MonError('unavailable', 'there is no leader at the moment: retry in a few seconds');
      }
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
    }
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    for (const link of this.#open) link[Symbol.dispose]();
    this.#open.clear();
    this.#current = undefined;
  }

  /** @throws MonError `unavailable`, or what it is, when it must not be tried again */
  #refuseUnanswered({ id: leader, url }: PeerPlace, error: unknown): undefined {
    if (error instanceof UnsentError) {
      const { message: reason } = error;
      this.#told.warn(() => ({ leader, url, reason, setting: 'peer-url' }), 'the leader cannot be reached');
      return;
    }
    if (!(error instanceof UnansweredError)) throw error;
    throw unanswered(error);
  }

  #to(place: PeerPlace): PeerLink {
    if (this.#current !== undefined && isSame(this.#current.place, place)) return this.#current;
    this.#retire();
    const link = new PeerLink(place, this.#parts);
    this.#current = link;
    this.#open.add(link);
    return link;
  }

  #retire(): void {
    const link = this.#current;
    if (link === undefined) return;
    this.#current = undefined;
    this.#parts.clock.after(GRACE_MS, () => {
      link[Symbol.dispose]();
      this.#open.delete(link);
    });
  }

  async #look(): Promise<void> {
    if (this.#current === undefined || this.#isLooking) return;
    this.#isLooking = true;
    try {
      const place = await this.#parts.leadership.writer();
      if (place === 'self') this.#retire();
      else this.#to(place);
      this.#onMove(place === 'self' ? place : place.id);
    } catch {
      // There is none: whoever comes next makes the difference.
    } finally {
      this.#isLooking = false;
    }
  }
}

function isSame(one: PeerPlace, other: PeerPlace): boolean {
  return one.id === other.id && one.url === other.url && one.fingerprint === other.fingerprint;
}

/** Nobody knows what became of a request. */
export function unanswered(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the leader was lost before it responded: the change may or may not have been made, check before you retry',
    { cause },
  );
}
