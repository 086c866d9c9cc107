import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';
import { INITIAL_FEED_STATUS, isConnected, RATES_MAX, type FeedStatus } from './feed-status.ts';

/**
 * The states of a connection, the best first. The merged status has the best state, because a merged list still changes
 * while one backend is live.
 */
const CONNECTIONS_BEST_FIRST: readonly FeedState['kind'][] = ['live', 'syncing', 'waiting', 'connecting', 'refused'];

/**
 * Returns one status for several backends: the best connection, the largest lag, and the sums of the statistics and
 * rates.
 */
export function mergedStatus(all: readonly FeedStatus[]): FeedStatus {
  const [best] = all.toSorted((a, b) => rankOfConnection(a) - rankOfConnection(b) || retryAtMs(a) - retryAtMs(b));
  if (best === undefined) return INITIAL_FEED_STATUS;
  const live = all.filter(({ connection }) => connection.kind === 'live');
  return {
    ...INITIAL_FEED_STATUS,
    connection: best.connection,
    // If no backend is connected, this is the time when the last of them was lost.
    lostAtMs: isConnected(best) ? undefined : largestTime(all.map(({ lostAtMs }) => lostAtMs)),
    hasBeenLive: all.some(({ hasBeenLive: everLive }) => everLive),
    lastFrameAtMs: largestTime(all.map(({ lastFrameAtMs: heardAtMs }) => heardAtMs)),
    stats: sumOf(all),
    rates: summedRates(all.map(({ rates }) => rates)),
    lagMs: Math.max(0, ...live.map(({ lagMs }) => lagMs)),
  };
}

/** Returns whether the connection to a backend is lost, so that its data may be outdated. */
export function isDisconnected(status: FeedStatus | undefined): boolean {
  return status !== undefined && status.lostAtMs !== undefined;
}

function rankOfConnection({ connection }: FeedStatus): number {
  return CONNECTIONS_BEST_FIRST.indexOf(connection.kind);
}

function retryAtMs({ connection }: FeedStatus): number {
  return connection.kind === 'waiting' ? connection.retryAtMs : 0;
}

function largestTime(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce((last, time) => (last === undefined || (time ?? 0) > last ? time : last), undefined);
}

function sumOf(all: readonly FeedStatus[]): FeedStats | undefined {
  const reportedStats = all.flatMap(({ stats, connection }) => {
    if (stats === undefined) return [];
    // The last rate of a disconnected backend does not describe its current load.
    return connection.kind === 'live' ? [stats] : [{ ...stats, rate: 0, queue: 0 }];
  });
  if (reportedStats.length === 0) return undefined;
  const entities = reportedStats.find((stats) => stats.entities !== undefined)?.entities;
  const sum = (read: (stats: FeedStats) => number): number =>
    reportedStats.reduce((total, stats) => total + read(stats), 0);
  return {
    results: {
      ok: sum(({ results }) => results.ok),
      warning: sum(({ results }) => results.warning),
      critical: sum(({ results }) => results.critical),
      unknown: sum(({ results }) => results.unknown),
    },
    clients: sum(({ clients }) => clients),
    rate: sum(({ rate }) => rate),
    queue: sum(({ queue }) => queue),
    // Each backend has its own entity limit. The figures of the first backend that nearly reaches its limit are shown.
    ...(entities === undefined ? {} : { entities }),
  };
}

/** Adds the rates of several backends second by second. The newest values of all backends count as the same second. */
function summedRates(all: readonly (readonly number[])[]): readonly number[] {
  const length = Math.min(RATES_MAX, Math.max(0, ...all.map((rates) => rates.length)));
  return Array.from({ length }, (_, index) =>
    all.reduce((total, rates) => total + (rates[rates.length - length + index] ?? 0), 0),
  );
}
