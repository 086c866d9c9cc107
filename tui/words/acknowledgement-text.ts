import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ShownAcknowledgement } from '../../shared/schemas/acknowledgement.ts';

/**
 * Returns who acknowledged an event, when, for how long, and the note: `acknowledged by ada 3m ago, 2h left: looking
 * into it`. Safe for a terminal.
 */
export function acknowledgementText({ by, at, until, note }: ShownAcknowledgement, nowMs: number): string {
  const ago = formatDuration(Math.max(0, nowMs / 1000 - at));
  const left = until === undefined ? 'until it resolves' : `${formatDuration(Math.max(0, until - nowMs / 1000))} left`;
  return safeLine(`acknowledged by ${by} ${ago} ago, ${left}${note === undefined ? '' : `: ${note}`}`);
}
