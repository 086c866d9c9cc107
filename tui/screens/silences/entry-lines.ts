import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import { countText } from '../../words/count-text.ts';
import { run, SEVERITY_STYLES, type Line } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { shownTime } from '../../words/shown-time.ts';
import { recurrenceText } from '../../words/recurrence-text.ts';
import { targetText } from '../../../shared/domain/silence-name.ts';
import { windowsOf } from './recurrence.ts';
import { BLANK_DESCRIPTION, descriptionLines, type Description } from '../../text/describe.ts';
import { cutCells } from '../../text/wrap-cells.ts';
import type { SilenceDialogData, ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { SilenceEntryLayer } from '../../state/layers/loaded.ts';

/** Returns the lines of the screen of a silence: all its details, and the events that it covers. */
export function silenceEntryLines(
  store: ScreenView & Pick<SilenceDialogData, 'silenceMatches'> & LiveData,
  { id, load }: SilenceEntryLayer,
): readonly Line[] {
  const look = { width: store.state.size.columns - 1 };
  const { nowMs } = store;
  const entry = store.silenced.get(id);
  if (entry !== undefined) {
    const details = [
      ...entryDetails(entry, undefined, nowMs),
      ...idleNote(entry, nowMs),
      ...suppressionDetails(load.data, nowMs),
    ];
    return descriptionLines([...details, BLANK_DESCRIPTION, coveredEvents(store, entry, look.width)], look);
  }
  const ended = store.silenceHistory.get(id, nowMs);
  if (ended === undefined)
    return [[run(' This silence has ended; its details are no longer available. Esc goes back.')]];
  return descriptionLines(entryDetails(ended.entry, ended.endedAtMs, nowMs), look);
}

function entryDetails(entry: SilencedRow, endedAtMs: number | undefined, nowMs: number): readonly Description[] {
  const { begin, expire_at: end, expire_on_resolve: isUntilOk } = entry;
  const ends = [
    ...(end === null ? [] : [momentText(end, nowMs)]),
    ...(isUntilOk ? ['when the check resolves'] : []),
  ].join(', or ');
  return [
    { label: 'id', text: entry.id },
    { label: 'target', text: targetText(entry) },
    { label: 'by', text: entry.creator ?? 'unknown' },
    { label: 'reason', text: entry.reason ?? 'none' },
    { label: 'created', text: momentText(entry.timestamp, nowMs) },
    ...(entry.recurrence === undefined
      ? [
          ...(begin === null ? [] : [{ label: 'starts', text: momentText(begin, nowMs) }]),
          { label: 'ends', text: ends === '' ? 'never' : ends },
        ]
      : windowDetails(entry, entry.recurrence, endedAtMs, nowMs)),
    ...(endedAtMs === undefined ? [] : [{ label: 'ended', text: momentText(endedAtMs / 1000, nowMs) }]),
  ];
}

/** Returns a note if the backend reports that the silence has matched no event for long. */
function idleNote({ idle }: SilencedRow, nowMs: number): readonly Description[] {
  if (idle === undefined) return [];
  const end = idle.ends_at === undefined ? '' : `; ends ${momentText(idle.ends_at, nowMs)} unless an event matches`;
  return [{ label: 'idle', text: `no matching event since ${momentText(idle.since, nowMs)}${end}`, tone: 'accent' }];
}

function windowDetails(
  entry: SilencedRow,
  recurrence: Recurrence,
  endedAtMs: number | undefined,
  nowMs: number,
): readonly Description[] {
  const recurs = { label: 'recurs', text: recurrenceText(recurrence) };
  if (endedAtMs !== undefined) return [recurs];
  const { begin, expire_at: end } = entry;
  const isActive = (begin ?? 0) * 1000 <= nowMs;
  const present = isActive ? `active, ends ${momentText(end ?? 0, nowMs)}` : `next ${momentText(begin ?? 0, nowMs)}`;
  return [recurs, { label: 'now', text: present }, { label: 'windows', text: windowsOf(entry, nowMs) }];
}

/** Returns the lines that say how many notifications the silence has suppressed so far. */
function suppressionDetails(kept: SilenceEntryLayer['load']['data'], nowMs: number): readonly Description[] {
  if (kept === undefined) return [];
  const { suppressed, last_suppressed: last } = kept;
  if (suppressed === 0) return [{ label: 'effect', text: 'no notification suppressed so far', tone: 'faint' }];
  const when = last === null ? '' : `, last ${momentText(last, nowMs)}`;
  const { window } = kept;
  const last1 = { label: 'effect', text: `${countOf(suppressed, 'notification')} suppressed${when}` };
  if (window === undefined) return [last1];
  const ofWindow = `${countOf(window.suppressed, 'notification')} suppressed in the window of ${momentText(window.begin, nowMs)}`;
  return [last1, { label: '', text: ofWindow }];
}

function coveredEvents(
  store: Pick<SilenceDialogData, 'silenceMatches'> & Pick<LiveData, 'nowMs'>,
  entry: SilencedRow,
  width: number,
): Description {
  const { count, listed } = store.silenceMatches(entry);
  const isPending = (entry.begin ?? 0) * 1000 > store.nowMs;
  const said = `${isPending ? 'would cover now' : 'covers now'}: ${count === 0 ? 'no event' : countOf(count, 'event')}`;
  const moreCount = count - listed.length;
  const rows = listed.map(({ row }): Line => {
    const { symbol, word, tone } = SEVERITY_STYLES[severityOf(row.status)];
    const text = `  ${safeLine(`${row.client} / ${row.check}`)}  ${safeLine(row.output)}`;
    return [run(`${symbol} ${word.padEnd(4)}`, tone), run(cutCells(text, width - 17))];
  });
  const more = moreCount === 0 ? [] : [[run(`and ${countText(moreCount)} more`, 'faint')]];
  return { label: 'events', rows: [[run(said, 'strong')], ...rows, ...more] };
}

/** Returns the text of a time, such as `2026-11-20 22:14:07Z (4m ago)`. */
function momentText(seconds: number, nowMs: number): string {
  // A JavaScript date cannot represent a time so far in the future.
  if (Number.isNaN(new Date(seconds * 1000).getTime())) return 'never';
  const away = seconds - nowMs / 1000;
  return `${shownTime(seconds * 1000)} (${away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(-away)} ago`})`;
}
