import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';

/** The first message that a backend sends on a feed connection. */
export interface Hello {
  readonly name: string;
  readonly version: string;
  /** The time when the backend sent the message, by the backend's clock, in epoch milliseconds. */
  readonly time: number;
  /** True if other backends can share the store, as members of a cluster. Default: false. */
  readonly shared?: boolean | undefined;
}

/** The state of the feed connection to a backend, and what the backend reports about itself. */
export interface FeedStatus {
  readonly connection: FeedState;
  /** Epoch milliseconds since when the feed has not been connected; `undefined` while it is connected. */
  readonly lostAtMs: number | undefined;
  /** True if the feed was live at least once since the console was opened, so that the lists were complete. */
  readonly hasBeenLive: boolean;
  /** Epoch milliseconds when the last frame of the feed arrived; `undefined` before the first one. */
  readonly lastFrameAtMs: number | undefined;
  readonly backendName: string | undefined;
  readonly backendVersion: string | undefined;
  /** True if other backends can share the store, as members of a cluster. */
  readonly isShared: boolean;
  readonly stats: FeedStats | undefined;
  /** The rate of results per second: one value for each second, the oldest first. */
  readonly rates: readonly number[];
  /** Delay of the last feed frame in milliseconds, compared with the fastest frame of this connection. */
  readonly lagMs: number;
  /**
   * Smallest difference between the arrival of a frame by the console's clock and its timestamp by the backend's clock:
   * the offset of the clocks plus the fastest transmission. `undefined` before the first timestamp of a connection.
   */
  readonly offsetMs: number | undefined;
}

export const INITIAL_FEED_STATUS: FeedStatus = {
  connection: { kind: 'connecting', attempt: 1 },
  lostAtMs: undefined,
  hasBeenLive: false,
  lastFrameAtMs: undefined,
  backendName: undefined,
  backendVersion: undefined,
  isShared: false,
  stats: undefined,
  rates: [],
  lagMs: 0,
  offsetMs: undefined,
};

/** Lag in milliseconds above which the console warns that its data is not current. */
export const LAG_WARNING_MS = 2000;

/** Number of rates that are stored for the chart in the header, one per second: five minutes. */
export const RATES_MAX = 300;

/**
 * Age of the last frame in milliseconds at which a live feed counts as lagging. The backend sends a frame at least once
 * a second.
 */
const OVERDUE_MS = 3000;

/**
 * Returns the lag of the shown data in milliseconds: the delay of the last frame, or its age if that is larger and no
 * frame arrived for `OVERDUE_MS`.
 */
export function currentLagMs(
  { lagMs, lastFrameAtMs: heardAtMs = Infinity }: Pick<FeedStatus, 'lagMs' | 'lastFrameAtMs'>,
  nowMs: number,
): number {
  const ageMs = nowMs - heardAtMs;
  return ageMs < OVERDUE_MS ? lagMs : Math.max(lagMs, ageMs);
}

export function updateConnection(status: FeedStatus, connection: FeedState, nowMs: number): FeedStatus {
  const lost = connection.kind === 'waiting' || connection.kind === 'refused' || connection.kind === 'connecting';
  return {
    ...status,
    connection,
    hasBeenLive: status.hasBeenLive || connection.kind === 'live',
    lostAtMs: lost ? (status.lostAtMs ?? nowMs) : undefined,
    // The next connection can take another route, or reach a host with another clock.
    ...(lost ? { offsetMs: undefined, lagMs: 0 } : {}),
  };
}

/** Updates the feed status with the backend's first message. */
export function updateFromHello(
  status: FeedStatus,
  { name, version, time, shared = false }: Hello,
  nowMs: number,
): FeedStatus {
  return { ...updateFromFrame(status, time, nowMs), backendName: name, backendVersion: version, isShared: shared };
}

/**
 * Updates the feed status when a frame arrives at `nowMs`; `timeMs` is the frame's timestamp by the backend's clock.
 */
export function updateFromFrame(status: FeedStatus, timeMs: number | undefined, nowMs: number): FeedStatus {
  if (timeMs === undefined) return { ...status, lastFrameAtMs: nowMs };
  const behindMs = nowMs - timeMs;
  const offsetMs = Math.min(status.offsetMs ?? behindMs, behindMs);
  return { ...status, lastFrameAtMs: nowMs, offsetMs, lagMs: behindMs - offsetMs };
}

export function updateFromStats(status: FeedStatus, stats: FeedStats, timeMs: number, nowMs: number): FeedStatus {
  const rates = [...status.rates, stats.rate].slice(-RATES_MAX);
  return { ...updateFromFrame(status, timeMs, nowMs), stats, rates };
}

/** Returns the current time by the backend's clock, estimated from the timestamps of its frames. */
export function backendMs({ offsetMs = 0 }: Pick<FeedStatus, 'offsetMs'>, nowMs: number): number {
  return nowMs - offsetMs;
}

/** Returns whether a change can be sent to the backend now. */
export function isConnected(status: FeedStatus): boolean {
  return status.connection.kind === 'live' || status.connection.kind === 'syncing';
}
