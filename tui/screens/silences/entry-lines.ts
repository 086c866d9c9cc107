import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { countText } from '../../words/count-text.ts';
import { run, STATUS, type Run } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { targetText } from '../../words/silence-text.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import type { Silencing, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { SilenceEntryLayer } from '../../state/layers/loaded.ts';

type Line = readonly Run[];

/** Cells before the text of each part. */
const LABEL_CELLS = 11;

/** Everything about one silence, and the events that it covers. */
export function silenceEntryLines(
  store: Shown & Pick<Silencing, 'silenceMatches'> & Known,
  { id, load }: SilenceEntryLayer,
): readonly Line[] {
  const width = store.state.size.columns - 1;
  const entry = store.silenced.get(id);
  if (entry !== undefined)
    return [
      ...partLines(entry, undefined, store.nowMs, width),
      ...keptBackLines(load.data, store.nowMs),
      ...eventLines(store, entry, width),
    ];
  const ended = store.silenceHistory.get(id, store.nowMs);
  if (ended === undefined) return [[run(' It has ended, and nothing more is known of it. Esc goes back.')]];
  return partLines(ended.entry, ended.endedAtMs, store.nowMs, width);
}

function partLines(entry: SilencedRow, endedAtMs: number | undefined, nowMs: number, width: number): readonly Line[] {
  const { begin, expire_at: end, expire_on_resolve: isUntilOk } = entry;
  const ends = [
    ...(end === null ? [] : [momentText(end, nowMs)]),
    ...(isUntilOk ? ['when the check resolves'] : []),
  ].join(', or ');
  const parts: readonly (readonly [name: string, text: string])[] = [
    ['id', entry.id],
    ['target', targetText(entry)],
    ['by', entry.creator ?? 'nobody said'],
    ['reason', entry.reason ?? 'none given'],
    ['made', momentText(entry.timestamp, nowMs)],
    ...(begin === null ? [] : ([['starts', momentText(begin, nowMs)]] as const)),
    ['ends', ends === '' ? 'never by itself' : ends],
    ...(endedAtMs === undefined ? [] : ([['ended', momentText(endedAtMs / 1000, nowMs)]] as const)),
  ];
  return parts.flatMap(([name, text]) =>
    wrapCells(safeLine(text), width - LABEL_CELLS).map((line, index) => [label(index === 0 ? name : ''), run(line)]),
  );
}

/** How many runs of handlers it kept from running so far. */
function keptBackLines(kept: SilenceEntryLayer['load']['data'], nowMs: number): readonly Line[] {
  if (kept === undefined) return [];
  const { suppressed, last_suppressed: last } = kept;
  if (suppressed === 0) return [[label('kept back'), run('no run of a handler so far', 'faint')]];
  const when = last === null ? '' : `, the last one ${momentText(last, nowMs)}`;
  return [[label('kept back'), run(`${countOf(suppressed, 'handler run')}${when}`)]];
}

function eventLines(
  store: Pick<Silencing, 'silenceMatches'> & Pick<Known, 'nowMs'>,
  entry: SilencedRow,
  width: number,
): readonly Line[] {
  const { count, listed } = store.silenceMatches(entry);
  const isPending = (entry.begin ?? 0) * 1000 > store.nowMs;
  const said = `${isPending ? 'would cover now' : 'covers now'}: ${count === 0 ? 'no event' : countOf(count, 'event')}`;
  const rest = count - listed.length;
  return [
    [],
    [label('events'), run(said, 'strong')],
    ...listed.map(({ row }): Line => {
      const { symbol, word, tone } = STATUS[severityOf(row.status)];
      const text = `  ${safeLine(`${row.client} / ${row.check}`)}  ${safeLine(row.output)}`;
      return [label(''), run(`${symbol} ${word.padEnd(4)}`, tone), run(cutCells(text, width - LABEL_CELLS - 6))];
    }),
    ...(rest === 0 ? [] : [[label(''), run(`and ${countText(rest)} more`, 'faint')]]),
  ];
}

/** `2026-11-20 22:14:07Z (4m ago)`. */
function momentText(seconds: number, nowMs: number): string {
  const date = new Date(seconds * 1000);
  // Far beyond what a date can hold.
  if (Number.isNaN(date.getTime())) return 'beyond any calendar';
  const moment = date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
  const away = seconds - nowMs / 1000;
  return `${moment} (${away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(-away)} ago`})`;
}

function label(text: string): Run {
  return run(` ${text}`.padEnd(LABEL_CELLS), 'faint');
}
