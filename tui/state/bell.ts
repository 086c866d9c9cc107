import { safeLine } from '../../shared/domain/terminal-text.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { eventClass } from '../model/event-record.ts';
import type { Screen, Says, Opened, Asks, Shown } from './ports.ts';
import type { Known } from '../model/known.ts';

/** At most one bell in this time. */
const RING_EVERY_MS = 10_000;

const MUTE_MS = 15 * 60_000;

/** Of the text of a notification. */
const TEXT_MAX = 200;

/** What is said of an event. */
type RungFor = Pick<EventRow, 'client' | 'check' | 'status' | 'silenced_by' | 'inhibited_by'>;

/** As far as the bell has to know what was before. */
type Before = Pick<EventBrief, 'status' | 'inhibited_by'>;

/**
 * Rings for what is new and critical, and neither silenced nor acknowledged, which is a silence too, nor kept quiet by
 * another event; and when it is not kept quiet so any more.
 */
export class Bell {
  #rungAtMs = -Infinity;

  /**
   * An event changed.
   *
   * @param before `undefined`: it is new
   */
  heard(store: Shown & Asks & Pick<Known, 'feed'>, before: Before | undefined, row: RungFor, nowMs: number): void {
    const { bell, notify, mutedUntilMs } = store.state.attention;
    // What is there at the start is no news.
    if (!store.feed.everLive || (!bell && !notify) || nowMs < mutedUntilMs) return;
    if (!isNewCritical(before, row) || nowMs - this.#rungAtMs < RING_EVERY_MS) return;
    this.#rungAtMs = nowMs;
    const text = safeLine(`critical: ${row.check} on ${row.client}`).slice(0, TEXT_MAX).toWellFormed();
    store.request({ kind: 'ring', bell, notice: notify ? text : undefined });
  }
}

export function toggleMute(store: Screen & Says & Opened): void {
  const nowMs = store.options.now();
  const { attention } = store.state;
  const isMuted = nowMs < attention.mutedUntilMs;
  store.update({ attention: { ...attention, mutedUntilMs: isMuted ? 0 : nowMs + MUTE_MS } });
  store.say(isMuted ? 'bell on' : `bell muted for ${formatDuration(MUTE_MS / 1000)}`);
}

function isNewCritical(before: Before | undefined, row: RungFor): boolean {
  if (eventClass(row) !== 'critical' || row.inhibited_by !== undefined) return false;
  return before?.status !== row.status || before.inhibited_by !== undefined;
}
