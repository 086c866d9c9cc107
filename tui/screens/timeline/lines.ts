import { targetText, targetTextOfId } from '../../../shared/domain/silence-name.ts';
import { shownClock, shownDayAndClock } from '../../words/shown-time.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { escalationChangeText } from '../../../shared/domain/notify/escalation-change.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { stripOf, type Outage, type StripCell } from '../../../shared/domain/timeline/strip.ts';
import type { Availability, CheckHistory } from '../../../shared/schemas/availability.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import type { LiveData } from '../../model/live-data.ts';
import { PAST_SPANS, PAST_SPAN_MS, parseTimelineId } from '../../model/past-span.ts';
import { keyOf } from '../../state/keys.ts';
import type { TimelineSearchLayer, TimelineLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { fitToWidth } from '../../terminal/cells.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, SILENCED_SYMBOL, SEVERITY_STYLES, type Line, type Run, type Tone } from '../../text/theme.ts';
import { cutCells } from '../../text/wrap-cells.ts';
import { countOf } from '../../words/changes.ts';
import { whenCells, whenText } from '../log/lines.ts';
import { outageOf } from './layer.ts';
import { searchRowIndex } from './search-rows.ts';

/** Number of screen rows above the transitions in a timeline. */
export const TIMELINE_HEAD_ROWS = 6;

const STRIP_CELLS: Readonly<Record<NonNullable<StripCell> | 'none', readonly [string, Tone]>> = {
  ok: ['▁', 'ok'],
  warning: ['▄', 'warning'],
  critical: ['█', 'critical'],
  unknown: ['?', 'unknown'],
  silenced: [SILENCED_SYMBOL, 'silenced'],
  none: [' ', 'plain'],
};

/** Returns the symbol and the tone of a cell of a bar of states. */
export function stripCell(cell: StripCell): readonly [string, Tone] {
  return STRIP_CELLS[cell ?? 'none'];
}

type TimelinePorts = ScreenView & Pick<LiveData, 'nowMs'>;

/**
 * Returns the lines above the transitions of a check: the available time spans, a bar with the state at each time, a
 * marker for the selected outage, and its figures.
 */
export function timelineHead({ nowMs, state: { size } }: TimelinePorts, layer: TimelineLayer): readonly Line[] {
  const { data } = layer.load;
  const { span } = parseTimelineId(layer.id);
  const spans: Line = [run(' '), ...PAST_SPANS.flatMap((one) => spanRuns(one, span))];
  if (data === undefined) return [spans];
  const cells = size.columns - 2;
  const { outage, index, count } = outageOf(layer);
  return [
    spans,
    [run(' '), ...stripRuns(data.past, cells)],
    [run(` ${markerText(data.past, outage, cells)}`, 'accent')],
    [run(` ${axisText(data.past, PAST_SPAN_MS[span] > PAST_DAY_MS, cells)}`, 'faint')],
    [run(` ${availabilityText(data.past.availability)}`)],
    outage === undefined
      ? [run(' no outage in this period', 'faint')]
      : outageLine(outage, { nowMs, number: count - index, count, until: data.past.until }),
  ];
}

/** Returns the bar with the state of a check at each time, its time axis, and its availability, without indentation. */
export function stripLines(past: CheckHistory, cells: number): readonly Line[] {
  return [
    stripRuns(past, cells),
    [run(axisText(past, false, cells), 'faint')],
    [run(cutCells(availabilityText(past.availability), cells))],
  ];
}

function spanRuns(span: string, chosen: string): readonly Run[] {
  return span === chosen ? [run(`[${span}]`, 'strong'), run(' ')] : [run(` ${span}  `, 'faint')];
}

/**
 * Returns the bar with the state of the check at each time. Adjacent cells of the same tone are merged into one run.
 */
function stripRuns(past: CheckHistory, cells: number): readonly Run[] {
  const runs: Run[] = [];
  for (const cell of stripOf(past, cells)) {
    const [symbol, tone] = stripCell(cell);
    const last = runs.at(-1);
    if (last?.tone === tone) runs[runs.length - 1] = run(last.text + symbol, tone);
    else runs.push(run(symbol, tone));
  }
  return runs;
}

function markerText({ since, until }: CheckHistory, outage: Outage | undefined, cells: number): string {
  if (outage === undefined) return '';
  const length = (until - since) / cells;
  const first = Math.floor((outage.sinceMs - since) / length);
  const last = Math.max(first, Math.ceil((outage.untilMs - since) / length) - 1);
  return ' '.repeat(first) + '▲'.repeat(Math.min(last, cells - 1) - first + 1);
}

/**
 * Returns the time axis: the line with times under the bar of states.
 *
 * @param hasDates true if the time span is longer than a day, so that all times include the date
 */
function axisText({ since, until }: CheckHistory, hasDates: boolean, cells: number): string {
  const middle = momentText((since + until) / 2, hasDates);
  const left = momentText(since, hasDates);
  const half = (cells >> 1) - (middle.length >> 1);
  const end = momentText(until, hasDates);
  return `${(left.padEnd(half) + middle).padEnd(cells - end.length)}${end}`;
}

function momentText(ms: number, hasDate: boolean): string {
  return hasDate ? shownDayAndClock(ms) : shownClock(ms, 'minutes');
}

const PAST_DAY_MS = 86_400_000;

/**
 * Returns the text of the availability, such as `98.214 % OK, 3 outages, ✗ CRIT 12m, ! WARN 3m, silenced 20m, no data
 * 2h`.
 */
function availabilityText(availability: Availability): string {
  const { percent, outages, warning, critical, unknown, silenced, no_data: noData } = availability;
  const lost = [
    [critical, statusText(SEVERITY_STYLES.critical)],
    [warning, statusText(SEVERITY_STYLES.warning)],
    [unknown, statusText(SEVERITY_STYLES.unknown)],
    [silenced, 'silenced'],
    [noData, 'no data'],
  ] as const;
  const parts = lost.flatMap(([seconds, word]) => (seconds === 0 ? [] : [`${word} ${formatDuration(seconds)}`]));
  // The percentage is truncated, because rounding would hide a short outage.
  const okText = percent === null ? 'no data' : `${(Math.floor(percent * 1000) / 1000).toFixed(3)} % OK`;
  return [`${okText}, ${countOf(outages, 'outage')}`, ...parts].join(', ');
}

function outageLine(
  { sinceMs, untilMs, worst, silencedMs }: Outage,
  context: { readonly nowMs: number; readonly number: number; readonly count: number; readonly until: number },
): Line {
  const status = SEVERITY_STYLES[severityOf(worst)];
  const end = untilMs === context.until ? 'now' : whenText(untilMs, context.nowMs);
  const span = `${whenText(sinceMs, context.nowMs)} to ${end}, ${formatDuration((untilMs - sinceMs) / 1000)}`;
  const silenced = silencedMs === 0 ? '' : `, silenced for ${formatDuration(silencedMs / 1000)}`;
  return [
    run(` outage ${String(context.number)} of ${String(context.count)}  `, 'accent'),
    run(statusText(status), status.tone),
    run(`  ${span}${silenced}`),
    run(`  ${keyOf('outage-previous')} ${keyOf('outage-next')} step`, 'faint'),
  ];
}

/**
 * Returns the lines of a check's transitions, the newest first. Transitions of the selected outage are marked with `>`.
 */
export function timelineLines({ nowMs, state: { size } }: TimelinePorts, layer: TimelineLayer): readonly Line[] {
  const { data } = layer.load;
  if (data === undefined) return [];
  if (data.rows.length === 0) return [[run(' nothing changed in this period', 'faint')]];
  const { outage } = outageOf(layer);
  return [
    ...data.rows.map((row) => {
      const isOfOutage = outage !== undefined && row.at >= outage.sinceMs && row.at <= outage.untilMs;
      return transitionLine(row, { nowMs, width: size.columns, mark: isOfOutage ? '>' : ' ', isPlaced: false });
    }),
    ...(data.more ? [[run(' older entries are not shown: run "monctl event timeline"', 'faint')]] : []),
  ];
}

/** Returns the lines of the transitions that match a search in the timeline. */
export function timelineSearchLines(
  { nowMs, state: { size } }: TimelinePorts,
  layer: TimelineSearchLayer,
): readonly Line[] {
  const { data } = layer.load;
  if (data === undefined) return [];
  if (data.rows.length === 0) return [[run(' no match', 'faint')]];
  const cursor = searchRowIndex(layer);
  return [
    ...data.rows.map((row, index) => {
      const isCursor = index === cursor;
      const mark = isCursor ? '>' : ' ';
      const line = transitionLine(row, { nowMs, width: size.columns, mark, isPlaced: true });
      return isCursor ? [run(line.map(({ text }) => text).join(''), 'cursor')] : line;
    }),
    ...(data.more ? [[run(' older entries are not shown: narrow the search, for example with age<7d', 'faint')]] : []),
  ];
}

const KIND_CELLS = 9;
const STATUS_CELLS = 15;
const SUBJECT_CELLS = 36;

function transitionLine(
  row: TimelineRow,
  { nowMs, width, mark, isPlaced }: { nowMs: number; width: number; mark: string; isPlaced: boolean },
): Line {
  const { at, kind, was, status, client, check, subscription, silence } = row;
  const of = silence === undefined ? `${client ?? subscription ?? ''} / ${check ?? ''}` : silenceTarget(row, silence);
  const subjectText = isPlaced ? `${fitToWidth(safeLine(of), Math.min(SUBJECT_CELLS, width >> 2))}  ` : '';
  const words =
    status === undefined
      ? ''
      : was === undefined || was === status
        ? shownStatus(status)
        : `${shownStatus(was)} > ${shownStatus(status)}`;
  const timeCells = whenCells(nowMs);
  const left: Line = [
    run(mark, 'accent'),
    run(`${fitToWidth(whenText(at, nowMs), timeCells)}  `, 'faint'),
    run(`${kind.padEnd(KIND_CELLS)} `),
    run(`${words.padEnd(STATUS_CELLS)}  `, status === undefined ? 'plain' : SEVERITY_STYLES[severityOf(status)].tone),
    run(subjectText),
  ];
  const used = 1 + timeCells + 2 + KIND_CELLS + 1 + STATUS_CELLS + 2 + subjectText.length;
  return spreadRuns(
    [...left, run(cutCells(safeLine(detailsOf(row, isPlaced)), Math.max(0, width - used - 1)))],
    [],
    width,
  );
}

/** Returns the target of the silence of a transition. The transition of a silence by search has its search. */
function silenceTarget({ selector }: TimelineRow, id: string): string {
  return selector === undefined ? targetTextOfId(id) : targetText({ selector });
}

function shownStatus(status: number): string {
  return statusText(SEVERITY_STYLES[severityOf(status)]);
}

function statusText({ symbol, word }: (typeof SEVERITY_STYLES)[keyof typeof SEVERITY_STYLES]): string {
  return `${symbol} ${word}`;
}

function detailsOf(row: TimelineRow, isPlaced: boolean): string {
  const { to, silence: id, reason, end, output, flapping, silenced_by: ids = [], by, creator, escalation } = row;
  const who = creator ?? by;
  return [
    ...(who === undefined ? [] : [`by ${who}`]),
    ...(id === undefined || isPlaced ? [] : [silenceTarget(row, id)]),
    ...(end === undefined ? [] : [`until ${shownDayAndClock(end)}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(to === undefined ? [] : [`now ${to}`]),
    ...(escalation === undefined ? [] : [escalationChangeText(escalation)]),
    ...(flapping === true ? ['flapping'] : []),
    ...(ids.length === 0 ? [] : [`silenced by ${ids.map(targetTextOfId).join(', ')}`]),
    ...(output === undefined ? [] : [output]),
  ].join(', ');
}
