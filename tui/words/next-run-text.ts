import { formatDuration } from '../../shared/domain/duration.ts';

/** Returns the time until the next run of a check: `12s`, `now`, or `-` without a schedule. */
export function nextRunText(nextRun: number | null, nowMs: number): string {
  if (nextRun === null) return '-';
  const seconds = nextRun - nowMs / 1000;
  return seconds > 0 ? formatDuration(seconds, 1) : 'now';
}
