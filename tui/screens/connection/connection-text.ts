import type { ConsoleState } from '../../state/console-state.ts';
import { keyOf } from '../../state/keys.ts';
import { countText } from '../../words/count-text.ts';
import { shownClock } from '../../words/shown-time.ts';
import { currentLagMs, LAG_WARNING_MS, type FeedStatus } from '../../model/feed-status.ts';
import { run, type Run } from '../../text/theme.ts';

/** Returns a time, given in epoch milliseconds, as `22:14:07Z`, or without seconds as `22:14 EST`. */
export function clockText(atMs: number, seconds = true): string {
  return shownClock(atMs, seconds ? 'seconds' : 'minutes');
}

/** Returns a duration, given in milliseconds, as `00:41`, or as `1:02:03` from an hour on. */
export function spanText(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return hours > 0
    ? `${String(hours)}:${twoDigits(minutes)}:${twoDigits(seconds)}`
    : `${twoDigits(minutes)}:${twoDigits(seconds)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/**
 * Returns the state of the connection for the header. The least important part comes last, so it is cut first.
 */
export function connectionRuns(feed: FeedStatus, paused: ConsoleState['paused'], nowMs: number): readonly Run[] {
  const { connection } = feed;
  const lost = feed.lostAtMs === undefined ? '' : ` ${spanText(nowMs - feed.lostAtMs)}`;
  switch (connection.kind) {
    case 'connecting':
      if (feed.hasBeenLive)
        return [run(`✗ DISCONNECTED${lost}`, 'alert'), run(`  connecting (#${String(connection.attempt)})`)];
      return [run('… CONNECTING', 'warning'), run(connection.attempt > 1 ? ` (#${String(connection.attempt)})` : '')];
    case 'waiting': {
      const retry = Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000));
      return [
        run(`✗ DISCONNECTED${lost}`, 'alert'),
        run(`  retry in ${String(retry)}s`),
        run(` (#${String(connection.attempt)})`),
        run(`  ${keyOf('reconnect')} now`),
      ];
    }
    case 'refused':
      return [run(`✗ REFUSED${lost}`, 'alert')];
    case 'syncing':
      return [run('… SYNCING', 'warning')];
    case 'live':
      if (paused !== undefined) {
        const unseen = paused.unseen === 0 ? '' : `  +${countText(paused.unseen)} unseen`;
        return [run(`‖ PAUSED ${spanText(nowMs - paused.sinceMs)}`, 'warning'), run(unseen)];
      }
      return currentLagMs(feed, nowMs) > LAG_WARNING_MS
        ? [run(`● LAGGING ${(currentLagMs(feed, nowMs) / 1000).toFixed(1)}s`, 'warning')]
        : [run('● LIVE', 'ok')];
  }
}

/**
 * Returns the number of backends of a merged list that are live and do not lag. For each other backend it says what is
 * wrong and for how long.
 */
export function membersRuns(backends: ReadonlyMap<string, FeedStatus>, nowMs: number): readonly Run[] {
  const all = [...backends];
  const isLive = (status: FeedStatus): boolean =>
    status.connection.kind === 'live' && currentLagMs(status, nowMs) <= LAG_WARNING_MS;
  const live = all.filter(([, status]) => isLive(status)).length;
  const count = `${String(live)} of ${String(all.length)} live`;
  if (live === all.length) return [run(`● ${count}`, 'ok')];
  const others = all.flatMap(([name, status]) =>
    isLive(status) ? [] : [run(`  ${memberText(name, status, nowMs)}`, 'warning')],
  );
  return [run(`✗ ${count}`, 'alert'), ...others];
}

function memberText(name: string, status: FeedStatus, nowMs: number): string {
  const { connection, lostAtMs } = status;
  if (connection.kind === 'refused') return `${name} refused`;
  if (connection.kind === 'live') return `${name} lagging ${(currentLagMs(status, nowMs) / 1000).toFixed(1)}s`;
  return lostAtMs === undefined ? `${name} syncing` : `${name} ${spanText(nowMs - lostAtMs)}`;
}
