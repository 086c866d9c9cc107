import type { Opened } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';

/** What a list says until there was a connection: where to, why not, and when again. */
export function connectingText({ feed, options, nowMs }: Opened & Pick<Known, 'feed' | 'nowMs'>): readonly string[] {
  const { connection } = feed;
  const why = connection.kind === 'waiting' ? ['', connection.reason] : [];
  const retry =
    connection.kind === 'waiting'
      ? `next attempt in ${String(Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000)))} s; R tries now, q quits`
      : 'q quits';
  return [`connecting to ${options.backend}`, ...why, '', retry];
}
