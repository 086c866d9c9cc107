import { safeLine } from '../../shared/domain/terminal-text.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import type { EventBrief, EventRow } from '../../shared/schemas/feed.ts';
import { eventClass } from '../model/event-record.ts';
import type { Screen } from './ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Minimum time between two rings, in milliseconds. */
const RING_EVERY_MS = 10_000;

const MUTE_MS = 15 * 60_000;

/** Maximum length of the text of a desktop notification. */
const TEXT_MAX = 200;

/** The attributes of an event by which the bell decides whether to ring. */
type BellEvent = Pick<EventRow, 'client' | 'check' | 'status' | 'silenced_by' | 'inhibited_by' | 'acknowledged'>;

/** The attributes that an event had before its change, by which the bell decides whether to ring. */
type EventBeforeChange = Pick<EventBrief, 'status' | 'inhibited_by'>;

/**
 * The bell of the console. It rings for a new critical event that is not silenced, acknowledged or inhibited. It also
 * rings when the inhibition of a critical event ends.
 */
export class Bell {
  #rungAtMs = -Infinity;

  /**
   * Rings the bell if the change of an event requires it.
   *
   * @param before the event before the change; `undefined` if the event is new
   */
  ringIfRequired(
    store: Screen & Pick<LiveData, 'feed'>,
    before: EventBeforeChange | undefined,
    row: BellEvent,
    nowMs: number,
  ): void {
    const { bell, notify, mutedUntilMs } = store.state.attention;
    // The events of the first snapshot are not new.
    if (!store.feed.hasBeenLive || (!bell && !notify) || nowMs < mutedUntilMs) return;
    if (!isNewCritical(before, row) || nowMs - this.#rungAtMs < RING_EVERY_MS) return;
    this.#rungAtMs = nowMs;
    const text = safeLine(`critical: ${row.check} on ${row.client}`).slice(0, TEXT_MAX).toWellFormed();
    store.request({ kind: 'ring', bell, notice: notify ? text : undefined });
  }
}

export function toggleMute(store: Screen): void {
  const nowMs = store.options.now();
  const { attention } = store.state;
  const isMuted = nowMs < attention.mutedUntilMs;
  store.update({ attention: { ...attention, mutedUntilMs: isMuted ? 0 : nowMs + MUTE_MS } });
  store.say(isMuted ? 'bell on' : `bell muted for ${formatDuration(MUTE_MS / 1000)}`);
}

function isNewCritical(before: EventBeforeChange | undefined, row: BellEvent): boolean {
  if (eventClass(row) !== 'critical' || row.inhibited_by !== undefined || row.acknowledged !== undefined) return false;
  return before?.status !== row.status || before.inhibited_by !== undefined;
}
