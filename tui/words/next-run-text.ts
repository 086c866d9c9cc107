import { formatDuration } from '../../shared/domain/duration.ts';

/** How long until then: `12s`, `now`, `-` for what is not run by the clock. */
export function nextRunText(nextRun: number | null, nowMs: number): string {
  if (nextRun === null) return '-';
  const seconds = nextRun - nowMs / 1000;
  return seconds > 0 ? formatDuration(seconds, 1) : 'now';
}
