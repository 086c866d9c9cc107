import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';

/** The first message of a backend. */
export interface Hello {
  readonly name: string;
  readonly version: string;
  /** Epoch milliseconds of the backend's clock. */
  readonly time: number;
  /** True if other backends may share the store. Default: false. */
  readonly shared?: boolean | undefined;
}

/** The state of a backend and of the connection to it. */
export interface FeedStatus {
  readonly connection: FeedState;
  /** Epoch milliseconds since when there is no live feed; `undefined` while there is. */
  readonly lostAtMs: number | undefined;
  /** True if the list was complete at least once. */
  readonly everLive: boolean;
  /** Epoch milliseconds of the last frame. */
  readonly heardAtMs: number | undefined;
  readonly backendName: string | undefined;
  readonly backendVersion: string | undefined;
  /** True if other backends may share the store. */
  readonly isShared: boolean;
  readonly stats: FeedStats | undefined;
  /** Results per second, one value a second, the oldest first. */
  readonly rates: readonly number[];
  /** Delay of frames compared with the fastest one of this connection. */
  readonly lagMs: number;
  /**
   * Smallest difference between our clock and the backend's: the offset of the clocks plus the fastest
   * transmission.
   */
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

/** Lag above which the console warns that it shows an earlier state. */
export const LAGGING_MS = 2000;

/** Number of rates for the chart in the header: five minutes. */
export const RATES_KEPT = 300;

export function nextConnection(status: FeedStatus, connection: FeedState, nowMs: number): FeedStatus {
  const lost = connection.kind === 'waiting' || connection.kind === 'refused' || connection.kind === 'connecting';
  return {
    ...status,
    connection,
    everLive: status.everLive || connection.kind === 'live',
    lostAtMs: lost ? (status.lostAtMs ?? nowMs) : undefined,
    // Another connection may take another route, or go to a machine with another clock.
    ...(lost ? { offsetMs: undefined, lagMs: 0 } : {}),
  };
}

/** Records the backend's first message. */
export function heardHello(
  status: FeedStatus,
  { name, version, time, shared = false }: Hello,
  nowMs: number,
): FeedStatus {
  return { ...heardFrame(status, time, nowMs), backendName: name, backendVersion: version, isShared: shared };
}

/** Records that a frame with the timestamp `timeMs` arrived now. */
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

/** Returns the time on the backend's clock, estimated from its frames. */
export function backendMs({ offsetMs = 0 }: Pick<FeedStatus, 'offsetMs'>, nowMs: number): number {
  return nowMs - offsetMs;
}

/** Returns whether a change can be sent to the backend now. */
export function isConnected(status: FeedStatus): boolean {
  return status.connection.kind === 'live' || status.connection.kind === 'syncing';
}
