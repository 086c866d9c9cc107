import { formatDuration } from '../../../shared/domain/duration.ts';
import { isActive } from '../../../shared/domain/silencing.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { countText } from '../../count-text.ts';
import type { Tone } from '../../theme.ts';
import type { ConsoleStore } from '../console-store.ts';
import { openSilenceFilter } from '../silence-filter.ts';
import { askEndSilences, openSilenceEntries } from '../silence-actions.ts';
import { openSilenceEntry } from '../silence-entry-keys.ts';
import { targetText } from '../silence-text.ts';
import { compareText, tableView } from './table-view.ts';

/** From this long before its end on a silence counts as expiring. */
const EXPIRING_SECONDS = 30 * 60;

/** In the order of the table: what is about to change comes first. */
const STATES = ['expiring', 'active', 'pending', 'ended'] as const;

export type SilenceState = (typeof STATES)[number];

const STATE_TONES: Readonly<Record<SilenceState, Tone>> = {
  expiring: 'warning',
  active: 'plain',
  pending: 'accent',
  ended: 'faint',
};

/** A silence in the table: one that is there, or one that has ended. */
export interface SilenceEntry {
  readonly entry: SilencedRow;
  /** Epoch milliseconds; `undefined`: it has not ended. */
  readonly endedAtMs: number | undefined;
  /** When the row was made. What a row shows follows the clock; its place follows with the next row. */
  readonly state: SilenceState;
  /** Events that it silences now. */
  readonly events: number;
}

export const SILENCES = tableView<SilenceEntry>({
  name: 'silences',
  nouns: ['silence', 'silences'],
  source: {
    keys: (store) => new Set([...store.silenced.keys(), ...store.silenceHistory.ids()]),
    row: silenceEntry,
  },
  columns: [
    {
      id: 'state',
      title: 'STATE',
      least: 8,
      most: 8,
      text: (row, nowMs) => stateOf(row, nowMs),
      tone: (row, nowMs) => STATE_TONES[stateOf(row, nowMs)],
      compare: (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || compareEnds(a, b),
    },
    {
      id: 'target',
      title: 'TARGET',
      least: 26,
      most: 48,
      cut: 'middle',
      text: ({ entry }) => targetText(entry),
      compare: (a, b) => compareText(targetText(a.entry), targetText(b.entry)),
    },
    {
      id: 'creator',
      title: 'CREATOR',
      least: 9,
      most: 16,
      spare: 2,
      text: ({ entry }) => entry.creator ?? '',
      compare: (a, b) => compareText(a.entry.creator ?? '', b.entry.creator ?? ''),
    },
    { id: 'left', title: 'LEFT', least: 7, most: 7, align: 'right', text: leftText, compare: compareEnds },
    {
      id: 'events',
      title: 'EVENTS',
      least: 6,
      most: 7,
      align: 'right',
      text: eventsText,
      tone: (row, nowMs) => (eventsText(row, nowMs) === 'none' ? 'faint' : 'plain'),
      compare: (a, b) => b.events - a.events,
    },
    {
      id: 'reason',
      title: 'REASON',
      least: 11,
      most: Infinity,
      spare: 1,
      text: ({ entry }) => entry.reason ?? '',
    },
  ],
  sort: 'state',
  search: ({ entry }) => `${targetText(entry)} ${entry.id} ${entry.creator ?? ''} ${entry.reason ?? ''}`,
  empty: () => ['Nothing is silenced.', '', 's on an event silences it.'],
  actions: {
    open: (store, [row]) => {
      if (row !== undefined) openSilenceEntry(store, row.entry.id);
    },
    'silence-change': (store, rows) =>
      openSilenceEntries(store, { kind: 'change', entries: entriesOf(rows, 'current') }),
    'silence-end': (store, rows) => askEndSilences(store, entriesOf(rows, 'current')),
    'silence-delete': (store, rows) => askEndSilences(store, entriesOf(rows, 'current'), 'cancel'),
    'silence-again': (store, rows) => openSilenceEntries(store, { kind: 'again', entries: entriesOf(rows, 'ended') }),
    'silence-filter': openSilenceFilter,
  },
});

/** The row of an id as it is now; `undefined`: there is none. */
export function silenceEntry(store: ConsoleStore, id: string): SilenceEntry | undefined {
  const nowMs = store.options.now();
  const entry = store.silenced.get(id);
  if (entry !== undefined) {
    const row = { entry, endedAtMs: undefined, state: 'active' as const, events: store.events.silencedCount(id) };
    return { ...row, state: stateOf(row, nowMs) };
  }
  const ended = store.silenceHistory.get(id, nowMs);
  return ended && { ...ended, state: 'ended', events: 0 };
}

/** What a silence is at this moment. */
export function stateOf({ entry, endedAtMs }: Pick<SilenceEntry, 'entry' | 'endedAtMs'>, nowMs: number): SilenceState {
  if (endedAtMs !== undefined) return 'ended';
  const endMs = entry.expire_at === null ? null : entry.expire_at * 1000;
  if (!isActive({ ...entry, expire_at: endMs }, nowMs)) return (entry.begin ?? 0) * 1000 > nowMs ? 'pending' : 'ended';
  return endMs !== null && endMs - nowMs < EXPIRING_SECONDS * 1000 ? 'expiring' : 'active';
}

/** `41m`, `till OK`, `never`, `in 2h`, `3h ago`. */
export function leftText(row: Pick<SilenceEntry, 'entry' | 'endedAtMs'>, nowMs: number): string {
  const { begin, expire_at: end, expire_on_resolve: isUntilOk } = row.entry;
  switch (stateOf(row, nowMs)) {
    case 'ended':
      return `${span(nowMs / 1000 - (row.endedAtMs ?? nowMs) / 1000)} ago`;
    case 'pending':
      return `in ${span((begin ?? 0) - nowMs / 1000)}`;
    case 'active':
    case 'expiring':
      if (end !== null) return span(end - nowMs / 1000);
      return isUntilOk ? 'till OK' : 'never';
  }
}

function span(seconds: number): string {
  return formatDuration(seconds, 1);
}

/** What is not in effect covers nothing: only of what is, none is worth a word. */
function eventsText(row: SilenceEntry, nowMs: number): string {
  const state = stateOf(row, nowMs);
  if (state === 'pending' || state === 'ended') return '-';
  return row.events === 0 ? 'none' : countText(row.events);
}

/** What ends first comes first; of those that have ended the last one. */
function compareEnds(a: SilenceEntry, b: SilenceEntry): number {
  const end = ({ entry, endedAtMs }: SilenceEntry): number =>
    endedAtMs === undefined ? (entry.expire_at ?? Number.MAX_SAFE_INTEGER) : -endedAtMs / 1000;
  return end(a) - end(b);
}

function entriesOf(rows: readonly SilenceEntry[], which: 'current' | 'ended'): readonly SilencedRow[] {
  return rows.flatMap(({ entry, endedAtMs }) => ((endedAtMs === undefined) === (which === 'current') ? [entry] : []));
}
