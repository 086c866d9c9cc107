import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/**
 * Returns the text that a list shows before the first connection: the address of the backend, the last failure, and the
 * time until the next attempt.
 */
export function connectingText({
  feed,
  options,
  nowMs,
}: ScreenView & Pick<LiveData, 'feed' | 'nowMs'>): readonly string[] {
  const { connection } = feed;
  const why = connection.kind === 'waiting' ? ['', connection.reason] : [];
  const retry =
    connection.kind === 'waiting'
      ? `next attempt in ${String(Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000)))} s; R tries now, q quits`
      : 'q quits';
  return [`connecting to ${options.backend}`, ...why, '', retry];
}
