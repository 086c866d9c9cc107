import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { RateLimitedLog } from '../../../log/rate-limit.ts';
import type { Clock } from '../../ports.ts';
import type { Leadership, PeerAddress } from './leadership.ts';
import { UnansweredError, UnsentError, PeerLink, type LinkDependencies } from './peer-link.ts';

/** Maximum time for which a request is retried until a leader accepts it. */
const LEADER_WAIT_MS = 5000;

/** Delay before a request is retried; by then a new leader is usually known. */
const RETRY_INTERVAL_MS = 100;

/**
 * Interval at which it is checked whether the leader has changed. Without the check, requests in progress would wait
 * for a former leader that hangs.
 */
const LEADER_CHECK_MS = 250;

/** Time for which connections to a former leader stay open, so that requests in progress can complete. */
const GRACE_MS = 1000;

interface WriterLinkDependencies extends Pick<LinkDependencies, 'signatures'> {
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
}

/** The connections to the current leader, and for a second also to the previous leader. */
export class LeaderLinks implements Disposable {
  readonly #dependencies: WriterLinkDependencies;
  /** Callback that receives the id of the current leader, or `self`, after each successful check for a new leader. */
  readonly #onLeaderChecked: (writerId: string) => void;
  readonly #open = new Set<PeerLink>();
  readonly #timer: Disposable;
  readonly #rateLimitedLog: RateLimitedLog;
  #current: PeerLink | undefined;
  #isChecking = false;

  constructor(dependencies: WriterLinkDependencies, onMove: (writerId: string) => void) {
    this.#dependencies = dependencies;
    this.#onLeaderChecked = onMove;
    this.#rateLimitedLog = new RateLimitedLog(dependencies.log, dependencies.clock);
    this.#timer = dependencies.clock.every(LEADER_CHECK_MS, () => void this.#checkLeader());
  }

  /**
   * Sends a request to the leader, and retries until a leader accepts the request. A retry goes to the new leader if
   * the leader has changed.
   *
   * @param attempt callback that sends the request; returns undefined if the leader did not accept the request
   * @returns the result of `attempt`, or `self` if this backend is the leader
   * @throws MonError `unavailable` if no leader accepts the request in time, or its outcome is unknown
   */
  async withLeader<T>(attempt: (link: PeerLink) => Promise<T | undefined>, signal?: AbortSignal): Promise<T | 'self'> {
    const { leadership, clock } = this.#dependencies;
    const endMs = clock.monotonic() + LEADER_WAIT_MS;
    for (;;) {
      const leader = await leadership.awaitLeader(signal);
      if (leader === 'self') return 'self';
      const done = await attempt(this.#linkTo(leader)).catch((error: unknown) => this.#refuseUnanswered(leader, error));
      if (done !== undefined) return done;
      if (clock.monotonic() + RETRY_INTERVAL_MS > endMs) {
        throw new MonError('unavailable', 'there is no leader at the moment: retry in a few seconds');
      }
      await new Promise<void>((resolve) => void clock.after(RETRY_INTERVAL_MS, resolve));
    }
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    for (const link of this.#open) link[Symbol.dispose]();
    this.#open.clear();
    this.#current = undefined;
  }

  /** Logs the error if the request can be sent again, and returns. @throws the error for the caller otherwise */
  #refuseUnanswered({ id: leader, url }: PeerAddress, error: unknown): undefined {
    if (error instanceof UnsentError) {
      const { message: reason } = error;
      this.#rateLimitedLog.warn(() => ({ leader, url, reason, setting: 'peer-url' }), 'the leader cannot be reached');
      return;
    }
    if (!(error instanceof UnansweredError)) throw error;
    throw unknownOutcomeError(error);
  }

  #linkTo(address: PeerAddress): PeerLink {
    if (this.#current !== undefined && isSamePeer(this.#current.address, address)) return this.#current;
    this.#retireCurrent();
    const link = new PeerLink(address, this.#dependencies);
    this.#current = link;
    this.#open.add(link);
    return link;
  }

  #retireCurrent(): void {
    const link = this.#current;
    if (link === undefined) return;
    this.#current = undefined;
    this.#dependencies.clock.after(GRACE_MS, () => {
      link[Symbol.dispose]();
      this.#open.delete(link);
    });
  }

  async #checkLeader(): Promise<void> {
    if (this.#current === undefined || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const leader = await this.#dependencies.leadership.awaitLeader();
      if (leader === 'self') this.#retireCurrent();
      else this.#linkTo(leader);
      this.#onLeaderChecked(leader === 'self' ? leader : leader.id);
    } catch {
      // There is no leader now. The next request reports that to its caller.
    } finally {
      this.#isChecking = false;
    }
  }
}

function isSamePeer(one: PeerAddress, other: PeerAddress): boolean {
  return one.id === other.id && one.url === other.url && one.fingerprint === other.fingerprint;
}

/** Returns the error for a request that was sent to the leader and whose outcome is unknown. */
export function unknownOutcomeError(cause: unknown): MonError {
  return new MonError(
    'unavailable',
    'the leader was lost before it responded: the change may or may not have been made, check before you retry',
    { cause },
  );
}
