import { keyOf } from '../../state/keys.ts';
import { tableColumn, textColumn, countColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { choiceField, countField, textField } from '../../../shared/domain/search-fields.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { SILENCED_SEARCH } from '../../../shared/domain/list-searches.ts';
import { SILENCED_STATES, silencedState, type SilencedState } from '../../../shared/domain/silenced-state.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilencedDetail, SilenceCounters } from '../../../shared/schemas/silenced.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { countText } from '../../words/count-text.ts';
import type { Tone } from '../../text/theme.ts';
import { scheduleText } from '../../words/recurrence-text.ts';
import { targetText } from '../../../shared/domain/silence-name.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';

const STATE_TONES: Readonly<Record<SilencedState, Tone>> = {
  expiring: 'warning',
  active: 'plain',
  pending: 'accent',
  ended: 'faint',
};

/** Tones of the words that the column of events can contain instead of a number. */
const EVENTS_TONES: ReadonlyMap<string, Tone> = new Map([
  ['none', 'faint'],
  ['idle', 'accent'],
]);

/** A row of the list of silences: an existing or an ended silence. */
export interface SilenceEntry {
  readonly entry: SilencedRow;
  /** Epoch milliseconds when the silence ended; `undefined` if it has not ended. */
  readonly endedAtMs: number | undefined;
  /**
   * The state of the silence when the row was built. It decides the position of the row until the row is built again;
   * the shown text follows the clock.
   */
  readonly state: SilencedState;
  /** Number of events that the silence covers now. */
  readonly events: number;
  /**
   * The counters of notifications that the silence has suppressed; `undefined` if the backend has not reported them.
   */
  readonly use: SilenceCounters | undefined;
}

export const SILENCES_VIEW = tableView<SilenceEntry>({
  name: 'silences',
  nouns: ['silence', 'silences'],
  source: {
    keys: (store) => new Set([...store.silenced.keys(), ...store.silenceHistory.ids()]),
    row: silenceEntry,
  },
  columns: [
    tableColumn('state', 'STATE', [8, 8], (row, nowMs) => stateOf(row, nowMs), {
      tone: (row, nowMs) => STATE_TONES[stateOf(row, nowMs)],
      compare: (a, b) => SILENCED_STATES.indexOf(a.state) - SILENCED_STATES.indexOf(b.state) || compareEnds(a, b),
    }),
    tableColumn('target', 'TARGET', [26, 60], ({ entry }, _, width) => targetCell(entry, width), {
      cut: 'middle',
      compare: (a, b) => compareText(targetText(a.entry), targetText(b.entry)),
    }),
    textColumn('creator', 'CREATOR', [7, 16], ({ entry }) => entry.creator ?? '', { dropRank: 2 }),
    tableColumn('ends', 'ENDS', [9, 13], (row, nowMs, width) => silenceEndText(row, nowMs, width), {
      align: 'right',
      compare: compareEnds,
    }),
    tableColumn('events', 'EVENTS', [6, 7], eventsText, {
      align: 'right',
      tone: (row, nowMs) => EVENTS_TONES.get(eventsText(row, nowMs)) ?? 'plain',
      compare: (a, b) => b.events - a.events,
    }),
    // Shows how many notifications the silence has suppressed.
    countColumn('suppressed', 'SUPPRESSED', ({ use: kept }) => kept?.suppressed, { most: 11, dropRank: 3 }),
    tableColumn('reason', 'REASON', [11, Infinity], ({ entry }) => reasonText(entry), { dropRank: 1 }),
  ],
  sort: 'state',
  search: languageForItems(SILENCED_SEARCH, ({ entry, use: kept }: SilenceEntry) => ({ ...entry, ...kept }), [
    textField('target', ({ entry }) => targetText(entry)),
    // This field replaces the `state` field of the API. For an ended silence, that field would compute the state from
    // the times of a silence that no longer exists.
    {
      ...choiceField<SilenceEntry>('state', SILENCED_STATES, (row, nowSeconds) => stateOf(row, nowSeconds * 1000)),
      usesTime: true,
    },
    countField('events', ({ events }) => events),
  ]),
  empty: () => [
    'No silences.',
    '',
    `Press ${keyOf('silence-new')} to create one, or ${keyOf('silence')} on an event to silence it.`,
  ],
  menu: ['open', 'silence-change', 'silence-end', 'silence-delete', 'silence-recreate', 'silence-filter'],
});

/**
 * Returns the row of a silence in its current state; `undefined` if there is no active, pending or ended silence with
 * this id.
 */
export function silenceEntry(store: ScreenView & LiveData, id: string): SilenceEntry | undefined {
  const { nowMs } = store;
  const entry = store.silenced.get(id);
  if (entry !== undefined) {
    const events = store.events.silencedCount(id);
    const row = { entry, endedAtMs: undefined, state: 'active' as const, events, use: suppressionCounters(store, id) };
    return { ...row, state: stateOf(row, nowMs) };
  }
  const ended = store.silenceHistory.get(id, nowMs);
  return ended && { ...ended, state: 'ended', events: 0, use: undefined };
}

/**
 * Returns the counters of notifications that the silence with this id has suppressed. The map is built once for each
 * response.
 */
function suppressionCounters({ loads }: Pick<LiveData, 'loads'>, id: string): SilenceCounters | undefined {
  const { data } = loads.loadOf('kept-back');
  if (data === undefined) return undefined;
  const byId = countersByIdCache.get(data) ?? new Map(data.map((detail) => [detail.id, detail]));
  countersByIdCache.set(data, byId);
  return byId.get(id);
}

const countersByIdCache = new WeakMap<readonly SilencedDetail[], ReadonlyMap<string, SilenceCounters>>();

/** Returns the current state of a silence. */
export function stateOf({ entry, endedAtMs }: Pick<SilenceEntry, 'entry' | 'endedAtMs'>, nowMs: number): SilencedState {
  return endedAtMs === undefined ? silencedState(entry, nowMs / 1000) : 'ended';
}

/**
 * Returns when a silence ends or has ended: `in 41m`, `when OK`, `never`, `3h ago`. For a pending silence, returns when
 * it starts: `starts in 2h`, or shorter in a narrow column: `starts 2h`, `from 12h`.
 */
export function silenceEndText(
  row: Pick<SilenceEntry, 'entry' | 'endedAtMs'>,
  nowMs: number,
  width = Infinity,
): string {
  const { begin, expire_at: end, expire_on_resolve: isUntilOk } = row.entry;
  switch (stateOf(row, nowMs)) {
    case 'ended':
      return `${spanText(nowMs / 1000 - (row.endedAtMs ?? nowMs) / 1000)} ago`;
    case 'pending': {
      const span = spanText((begin ?? 0) - nowMs / 1000);
      const texts = [`starts in ${span}`, `starts ${span}`, `from ${span}`];
      return texts.find(({ length }) => length <= width) ?? `from ${span}`;
    }
    case 'active':
    case 'expiring':
      if (end !== null) return `in ${spanText(end - nowMs / 1000)}`;
      return isUntilOk ? 'when OK' : 'never';
  }
}

function spanText(seconds: number): string {
  return formatDuration(seconds, 1);
}

/**
 * Returns the target of a silence in at most `width` cells. If the column is too narrow, `subscription:` is
 * abbreviated, and subject and check are cut one by one, so that both remain recognizable.
 */
function targetCell(entry: SilencedRow, width = Infinity): string {
  const full = safeLine(targetText(entry));
  if (cellWidth(full) <= width) return full;
  const [subject = '', check] = full.replace(/^subscription:/, 'sub:').split(' / ');
  if (check === undefined) return subject;
  const available = width - ' / '.length;
  const checkCells = Math.min(cellWidth(check), Math.max(available >> 1, available - cellWidth(subject)));
  const subjectCells = Math.min(cellWidth(subject), available - checkCells);
  return `${fitToWidth(subject, subjectCells, { cut: 'middle' })} / ${fitToWidth(check, checkCells, { cut: 'middle' })}`;
}

/** Returns the reason of a silence. If the silence recurs, its schedule comes first. */
function reasonText({ reason, recurrence }: SilencedRow): string {
  if (recurrence === undefined) return reason ?? '';
  return `recurs ${scheduleText(recurrence)}${reason === null ? '' : `: ${reason}`}`;
}

/**
 * Returns the number of events that a silence covers, or a word: `-` for pending and ended silences, `none`, or `idle`
 * for a silence that has matched no event for long.
 */
function eventsText(row: SilenceEntry, nowMs: number): string {
  const state = stateOf(row, nowMs);
  if (state !== 'ended' && row.events === 0 && row.entry.idle !== undefined) return 'idle';
  if (state === 'pending' || state === 'ended') return '-';
  return row.events === 0 ? 'none' : countText(row.events);
}

/** Compares silences by their end: the earliest end first. Among ended silences, the latest end comes first. */
function compareEnds(a: SilenceEntry, b: SilenceEntry): number {
  const end = ({ entry, endedAtMs }: SilenceEntry): number =>
    endedAtMs === undefined ? (entry.expire_at ?? Number.MAX_SAFE_INTEGER) : -endedAtMs / 1000;
  return end(a) - end(b);
}
