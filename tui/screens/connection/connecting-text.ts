import type { Opened } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/**
 * Returns the text of a list before the first connection: the backend, the failure, and the time of the next
 * attempt.
 */
export function connectingText({ feed, options, nowMs }: Opened & Pick<LiveData, 'feed' | 'nowMs'>): readonly string[] {
  const { connection } = feed;
  const why = connection.kind === 'waiting' ? ['', connection.reason] : [];
  const retry =
    connection.kind === 'waiting'
      ? `next attempt in ${String(Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000)))} s; R tries now, q quits`
      : 'q quits';
  return [`connecting to ${options.backend}`, ...why, '', retry];
}
