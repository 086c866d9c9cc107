import { formatDuration } from '../../shared/domain/duration.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import { EXPIRE_NEVER } from '../../shared/schemas/lifetime.ts';
import type { SilencedDetail, SilenceCounters, SilencedView, SilenceIdle } from '../../shared/schemas/silenced.ts';
import { recurrenceText, windowText } from '../words/recurrence-text.ts';
import { countedNoun } from './counted-noun.ts';
import type { Column } from './table.ts';
import { timestampText } from './times.ts';
import { silenceName } from '../../shared/domain/silence-name.ts';
import { shownClock, shownDayAndClock } from '../words/shown-time.ts';

/** Formats the start and end of a silence, such as ` from 2026-11-21 02:00:00Z until it resolves`. */
export function silencePeriodText(
  entry: { readonly expire: number; readonly begin?: number; readonly expire_on_resolve: boolean },
  nowMs: number,
): string {
  const startSeconds = Math.max(entry.begin ?? 0, Math.floor(nowMs / 1000));
  const from = (entry.begin ?? 0) * 1000 > nowMs ? ` from ${timestampText(startSeconds)}` : '';
  const until = entry.expire === EXPIRE_NEVER ? '' : ` until ${timestampText(startSeconds + entry.expire)}`;
  const resolves = entry.expire_on_resolve ? `${until === '' ? ' until' : ' or until'} it resolves` : '';
  const ending = `${until}${resolves}`;
  return `${from}${ending === '' ? ' until it is deleted' : ending}`;
}

/**
 * A row of the list of silences. It contains the time of the end, so that the remaining time can count down on the
 * screen.
 */
export interface SilenceRow {
  /**
   * The silence. The counters of `SilenceCounters` are missing if it comes from the live feed, which does not contain
   * them.
   */
  readonly view: SilencedView & Partial<SilenceCounters> & Pick<SilencedDetail, 'selector' | 'recurrence' | 'idle'>;
  /** End of the silence in epoch seconds; null means that it never expires. */
  readonly endsAt: number | null;
}

export function toSilenceRow({ expire_at: endsAt, ...row }: SilencedRow, nowMs: number): SilenceRow {
  return { view: { ...row, expire: remainingSeconds(endsAt, nowMs / 1000) }, endsAt };
}

function remainingSeconds(endsAt: number | null, nowSeconds: number): number {
  return endsAt === null ? EXPIRE_NEVER : Math.max(0, Math.round(endsAt - nowSeconds));
}

/**
 * Returns labels and texts for the start and end of a silence. For a recurring silence they are those of its current
 * window, or of its next window if none is active.
 */
export function timeFields(entry: SilencedDetail, nowMs: number): readonly (readonly [name: string, value: string])[] {
  const { begin, expire, expire_at: end, recurrence } = entry;
  if (recurrence === undefined || begin === null || end === null) {
    return [
      ['begins', begin === null ? 'at once' : timestampText(begin)],
      ['expires', end === null ? 'never' : durationAndClock(end, nowMs / 1000)],
      ['on resolve', entry.expire_on_resolve ? 'ends' : 'stays'],
    ];
  }
  const isAhead = begin * 1000 > nowMs;
  const when = isAhead ? `begins in ${formatDuration(begin - nowMs / 1000)}` : `ends in ${formatDuration(expire)}`;
  return [
    ['recurs', recurrenceText(recurrence)],
    [isAhead ? 'next window' : 'window', `${windowText({ begin, end }, recurrence.zone)}, ${when}`],
  ];
}

/**
 * Returns a field with the number of notifications that a recurring silence suppressed in the last window in which it
 * suppressed any. Returns no field if there is no such window.
 */
export function windowField({
  window,
  recurrence,
}: SilencedDetail): readonly (readonly [name: string, value: string])[] {
  if (window === undefined || recurrence === undefined) return [];
  return [
    [
      'last suppressed',
      `${countedNoun(window.suppressed, 'notifications')} in the window of ${timestampText(window.begin)}`,
    ],
  ];
}

/**
 * Formats how long a silence has matched no event, such as `no match for 8d, ends in 6d unless it matches an event`.
 */
export function idleText({ since, ends_at: end }: SilenceIdle, nowMs: number): string {
  const idlePhrase = `no match for ${formatDuration(Math.max(0, nowMs / 1000 - since))}`;
  return end === undefined
    ? idlePhrase
    : `${idlePhrase}, ends in ${formatDuration(remainingSeconds(end, nowMs / 1000))} unless it matches an event`;
}

export function idleColumn(nowMs: number): Column<SilenceRow> {
  return { title: 'IDLE', text: ({ view: { idle } }) => (idle === undefined ? '' : idleText(idle, nowMs)) };
}

export const RECURRENCE_COLUMN: Column<SilenceRow> = {
  title: 'RECURS',
  text: ({ view: { recurrence } }) => (recurrence === undefined ? '' : recurrenceText(recurrence)),
};

/** Formats a time in the future as a duration and a time of the user's clock, such as `in 1h55m, 14:30Z`. */
function durationAndClock(seconds: number, nowSeconds: number): string {
  const clock =
    seconds - nowSeconds < DAY_SECONDS ? shownClock(seconds * 1000, 'minutes') : shownDayAndClock(seconds * 1000);
  return `in ${formatDuration(remainingSeconds(seconds, nowSeconds))}, ${clock}`;
}

const DAY_SECONDS = 86_400;

/** Returns the creator of a silence for people. Silences of the v1 API may have none. */
export function creatorText({ creator }: Pick<SilencedView, 'creator'>): string {
  return creator ?? 'unknown';
}

export function listColumns(nowMs: number): readonly Column<SilenceRow>[] {
  const nowSeconds = nowMs / 1000;
  return [
    { title: 'SILENCE', text: ({ view }) => silenceName(view) },
    { title: 'ID', text: ({ view: { id } }) => id, isWide: true },
    {
      title: 'BEGINS',
      align: 'right',
      text: ({ view: { begin } }) => (begin !== null && begin > nowSeconds ? durationAndClock(begin, nowSeconds) : ''),
      order: ({ view: { begin } }) => begin ?? '',
    },
    {
      title: 'EXPIRES',
      align: 'right',
      text: ({ endsAt }) => (endsAt === null ? 'never' : durationAndClock(endsAt, nowSeconds)),
      order: ({ endsAt }) => endsAt ?? Number.MAX_SAFE_INTEGER,
    },
    { title: 'ON RESOLVE', text: ({ view }) => (view.expire_on_resolve ? 'yes' : 'no') },
    { title: 'SUPPRESSED', align: 'right', text: ({ view: { suppressed } }) => String(suppressed ?? '') },
    {
      title: 'CREATED',
      text: ({ view }) => timestampText(view.timestamp),
      order: ({ view }) => view.timestamp,
      isWide: true,
    },
    { title: 'CREATOR', text: ({ view }) => creatorText(view) },
    { title: 'REASON', text: ({ view }) => view.reason ?? '' },
  ];
}
