import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { DeadLetters } from '../handlers/dead-letters.ts';
import type { JobRunner } from '../handlers/run-jobs.ts';
import type { Batcher } from '../pipeline/batcher.ts';
import type { TimerLag } from '../scheduler/timer-lag.ts';
import { checkIndexes, type IndexCheckParts } from './index-check.ts';

export interface HealthParts extends IndexCheckParts {
  readonly batcher: Batcher;
  readonly feed: Pick<FeedHub, 'size' | 'lagMs'>;
  readonly handlers: Pick<JobRunner, 'figures'>;
  readonly deadLetters: Pick<DeadLetters, 'size'>;
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
  /** All handlers together. */
  readonly handlers: {
    readonly queued: number;
    readonly running: number;
    readonly retrying: number;
    readonly dead_letters: number;
    /** Since the oldest run that is not over was asked for. */
    readonly oldest_age: number | null;
  };
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
    handlers: handlerHealth(parts),
    indexes:
      indexes === undefined
        ? null
        : { clients: indexes.clients, checks: indexes.checks, differences: indexes.differences.length },
  };
}

function handlerHealth({ clock, deadLetters, handlers }: HealthParts): DeepHealth['handlers'] {
  const figures = [...handlers.figures().values()];
  const sum = (read: (one: (typeof figures)[number]) => number): number =>
    figures.reduce((total, one) => total + read(one), 0);
  const oldestAtMs = figures.reduce((oldest, one) => Math.min(oldest, one.oldestAtMs ?? Infinity), Infinity);
  return {
    queued: sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    retrying: sum(({ retrying }) => retrying),
    dead_letters: deadLetters.size,
    oldest_age: oldestAtMs === Infinity ? null : (clock.now() - oldestAtMs) / 1000,
  };
}
