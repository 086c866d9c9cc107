import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { Seldom } from '../../../log/rate-limit.ts';
import type { Clock } from '../../ports.ts';
import type { Leadership, PeerAddress } from './leadership.ts';
import { UnansweredError, UnsentError, PeerLink, type LinkParts } from './peer-link.ts';

/** Maximum time that a request waits for a leader that accepts it. */
const PATIENCE_MS = 5000;

/** Delay before a retry: the next leader is known a moment later. */
const AGAIN_MS = 100;

/** Interval of checks for a new leader, so that no request waits for a frozen one. */
const LOOK_MS = 250;

/** Time that a former leader has to finish the requests it has begun. */
const GRACE_MS = 1000;

interface WriterLinkParts extends Pick<LinkParts, 'signatures'> {
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects to the current leader. */
export class WriterLinks implements Disposable {
  readonly #parts: WriterLinkParts;
  /** Called when another backend becomes the leader. */
  readonly #onMove: (writerId: string) => void;
  readonly #open = new Set<PeerLink>();
  readonly #timer: Disposable;
  readonly #throttledLog: Seldom;
  #current: PeerLink | undefined;
  #isLooking = false;

  constructor(parts: WriterLinkParts, onMove: (writerId: string) => void) {
    this.#parts = parts;
    this.#onMove = onMove;
    this.#throttledLog = new Seldom(parts.log, parts.clock);
    this.#timer = parts.clock.every(LOOK_MS, () => void this.#look());
  }

  /**
   * Runs an attempt at the leader, and repeats it, also at the next leader, until it is accepted.
   *
   * @param attempt returns undefined if the leader did not accept it
   * @returns `self` if this backend has become the leader
   * @throws MonError `unavailable` if no leader accepts it in time, or its outcome is unknown
   */
  async withWriter<T>(attempt: (link: PeerLink) => Promise<T | undefined>, signal?: AbortSignal): Promise<T | 'self'> {
    const { leadership, clock } = this.#parts;
    const endMs = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const leader = await leadership.writer(signal);
      if (leader === 'self') return 'self';
      const done = await attempt(this.#to(leader)).catch((error: unknown) => this.#refuseUnanswered(leader, error));
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

  /** @throws MonError if a retry is not allowed: `unavailable`, or the error itself */
  #refuseUnanswered({ id: leader, url }: PeerAddress, error: unknown): undefined {
    if (error instanceof UnsentError) {
      const { message: reason } = error;
      this.#throttledLog.warn(() => ({ leader, url, reason, setting: 'peer-url' }), 'the leader cannot be reached');
      return;
    }
    if (!(error instanceof UnansweredError)) throw error;
    throw unanswered(error);
  }

  #to(address: PeerAddress): PeerLink {
    if (this.#current !== undefined && isSame(this.#current.address, address)) return this.#current;
    this.#retire();
    const link = new PeerLink(address, this.#parts);
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
      const leader = await this.#parts.leadership.writer();
      if (leader === 'self') this.#retire();
      else this.#to(leader);
      this.#onMove(leader === 'self' ? leader : leader.id);
    } catch {
      // There is no leader; the next request reports that.
    } finally {
      this.#isLooking = false;
    }
  }
}

function isSame(one: PeerAddress, other: PeerAddress): boolean {
  return one.id === other.id && one.url === other.url && one.fingerprint === other.fingerprint;
}

/** Returns the error for a request whose outcome is unknown. */
export function unanswered(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the leader was lost before it responded: the change may or may not have been made, check before you retry',
    { cause },
  );
}
