import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';

/** What a backend says first. */
export interface Hello {
  readonly name: string;
  readonly version: string;
  /** Epoch milliseconds, by its clock. */
  readonly time: number;
  /** Whether other backends may have the store, too. Default: no. */
  readonly shared?: boolean | undefined;
}

/** Everything known about the backend and the way to it. */
export interface FeedStatus {
  readonly connection: FeedState;
  /** Epoch milliseconds: since when there is no live feed; `undefined` while there is. */
  readonly lostAtMs: number | undefined;
  /** Whether the list was complete at least once. */
  readonly everLive: boolean;
  /** Epoch milliseconds of the last frame. */
  readonly heardAtMs: number | undefined;
  readonly backendName: string | undefined;
  readonly backendVersion: string | undefined;
  /** Whether other backends may have the store, too. */
  readonly isShared: boolean;
  readonly stats: FeedStats | undefined;
  /** Results per second, one figure a second, oldest first. */
  readonly rates: readonly number[];
  /** How late frames are compared with the quickest one of this connection. */
  readonly lagMs: number;
  /** Smallest difference between our clock and the backend's: the clocks' offset and the quickest way. */
  readonly offsetMs: number | undefined;
}

export const INITIAL_FEED_STATUS: FeedStatus = {
  connection: { kind: 'connecting', attempt: 1 },
  lostAtMs: undefined,
  everLive: false,
  heardAtMs: undefined,
  backendName: undefined,
  backendVersion: undefined,
  isShared: false,
  stats: undefined,
  rates: [],
  lagMs: 0,
  offsetMs: undefined,
};

/** Beyond this the console says that it shows the past. */
export const LAGGING_MS = 2000;

/** Five minutes of rates, for the line in the header. */
export const RATES_KEPT = 300;

export function nextConnection(status: FeedStatus, connection: FeedState, nowMs: number): FeedStatus {
  const lost = connection.kind === 'waiting' || connection.kind === 'refused' || connection.kind === 'connecting';
  return {
    ...status,
    connection,
    everLive: status.everLive || connection.kind === 'live',
    lostAtMs: lost ? (status.lostAtMs ?? nowMs) : undefined,
    // Another connection may go another way, or to a machine whose clock is another.
    ...(lost ? { offsetMs: undefined, lagMs: 0 } : {}),
  };
}

/** It said who it is. */
export function heardHello(
  status: FeedStatus,
  { name, version, time, shared = false }: Hello,
  nowMs: number,
): FeedStatus {
  return { ...heardFrame(status, time, nowMs), backendName: name, backendVersion: version, isShared: shared };
}

/** A frame that the backend stamped `timeMs` arrived now. */
export function heardFrame(status: FeedStatus, timeMs: number | undefined, nowMs: number): FeedStatus {
  if (timeMs === undefined) return { ...status, heardAtMs: nowMs };
  const behindMs = nowMs - timeMs;
  const offsetMs = Math.min(status.offsetMs ?? behindMs, behindMs);
  return { ...status, heardAtMs: nowMs, offsetMs, lagMs: behindMs - offsetMs };
}

export function heardStats(status: FeedStatus, stats: FeedStats, timeMs: number, nowMs: number): FeedStatus {
  const rates = [...status.rates, stats.rate].slice(-RATES_KEPT);
  return { ...heardFrame(status, timeMs, nowMs), stats, rates };
}

/** What the clock of the backend shows, as far as its frames have told. */
export function backendMs({ offsetMs = 0 }: Pick<FeedStatus, 'offsetMs'>, nowMs: number): number {
  return nowMs - offsetMs;
}

/** Whether a change can be sent to the backend now. */
export function isConnected(status: FeedStatus): boolean {
  return status.connection.kind === 'live' || status.connection.kind === 'syncing';
}
