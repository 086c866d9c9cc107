import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { Batcher } from '../pipeline/batcher.ts';
import type { TimerLag } from '../scheduler/timer-lag.ts';
import { checkIndexes, type IndexCheckParts } from './index-check.ts';

export interface HealthParts extends IndexCheckParts {
  readonly batcher: Batcher;
  readonly feed: Pick<FeedHub, 'size' | 'lagMs'>;
  readonly timers: Pick<TimerLag, 'worstMs'>;
}

/** The figures behind the health of a backend. Seconds; null: there is none. */
export interface DeepHealth {
  /** What is wrong, in words; empty when all is well. */
  readonly problems: readonly string[];
  readonly store: {
    /** Since the last synced write. */
    readonly last_fsync_age: number | null;
    readonly failed_writes: number;
  };
  readonly queue: { readonly messages: number };
  /** How late the latest timer of the last minute was. */
  readonly timers: { readonly lag: number };
  readonly feed: { readonly consumers: number; readonly lag: number };
  /** How some clients in memory compare with the store; null: the store was too busy to tell. */
  readonly indexes: { readonly clients: number; readonly checks: number; readonly differences: number } | null;
}

/** Clients that are compared with the store: enough to find what is wrong with many, and done within milliseconds. */
const SAMPLE = 20;

/** @param known problems that were found before */
export async function deepHealth(parts: HealthParts, known: readonly string[]): Promise<DeepHealth> {
  const { batcher, clock, feed, timers } = parts;
  const indexes = await checkIndexes(parts, DEFAULT_NAMESPACE, SAMPLE, Math.random);
  const { lastWriteMs } = batcher;
  return {
    problems: [...known, ...(indexes?.differences ?? [])],
    store: {
      last_fsync_age: lastWriteMs === undefined ? null : (clock.monotonic() - lastWriteMs) / 1000,
      failed_writes: batcher.failedWrites,
    },
    queue: { messages: batcher.queued },
    timers: { lag: timers.worstMs / 1000 },
    feed: { consumers: feed.size, lag: feed.lagMs / 1000 },
    indexes:
      indexes === undefined
        ? null
        : { clients: indexes.clients, checks: indexes.checks, differences: indexes.differences.length },
  };
}
