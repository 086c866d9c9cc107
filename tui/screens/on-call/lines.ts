import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ScheduleDetail } from '../../../shared/schemas/on-call.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { OnCallScheduleLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { descriptionLines, type Description } from '../../text/describe.ts';
import { run, type Line } from '../../text/theme.ts';
import { shiftEndText, weekdayText } from '../../words/on-call-text.ts';
import { shownMinute } from '../../words/shown-time.ts';
import { STRIP_DAYS, stripRuns } from './strip.ts';

/** Width of the strip in cells: three for each day. */
const STRIP_CELLS = 3 * STRIP_DAYS;

/** Returns the lines of the screen of a schedule: who is on call, the strip, the shifts and gaps, and the overrides. */
export function scheduleLines(
  { nowMs, state: { size } }: ScreenView & Pick<LiveData, 'nowMs'>,
  { load: { data } }: OnCallScheduleLayer,
): readonly Line[] {
  if (data === undefined) return [];
  const { on_call: onCall, next, time_zone: zone, unreachable } = data;
  const all: readonly Description[] = [
    onCall === null
      ? { label: 'on call', text: 'nobody', tone: 'critical' }
      : { label: 'on call', text: `${onCall.person}${untilText(onCall.until, nowMs)}`, tone: 'strong' },
    { label: 'next', text: next === null ? '-' : `${next.person} from ${shiftEndText(next.from, nowMs)}` },
    { label: 'time zone', text: zone },
    ...(unreachable.length === 0
      ? []
      : [{ label: 'no handler', text: unreachable.join(', '), tone: 'warning' as const }]),
    { label: '14 days', rows: [stripRuns(data, nowMs, STRIP_CELLS), stripDays(nowMs)] },
  ];
  return [
    ...descriptionLines(all, { width: size.columns - 1 }),
    titleLine('shifts and gaps', size.columns),
    ...spanLines(data),
    ...(data.overrides.length === 0 ? [] : [titleLine('overrides', size.columns), ...overrideLines(data)]),
  ];
}

function untilText(until: number | null, nowMs: number): string {
  return until === null ? '' : ` until ${shiftEndText(until, nowMs)}`;
}

/** Returns the days below the strip, each at its begin: `Mon`, `Tue`. */
function stripDays(nowMs: number): Line {
  const days = Array.from({ length: STRIP_DAYS }, (_, day) => weekdayText(nowMs + day * 86_400_000));
  return [run(days.join(''), 'faint')];
}

function spanLines({ shifts, gaps }: ScheduleDetail): readonly Line[] {
  const spans = [
    ...shifts.map(({ person, from, until, override, layer }) => ({
      from,
      line: [
        run(` ${spanText({ from, until })}  `),
        run(safeLine(person).padEnd(18), override === undefined ? 'plain' : 'accent'),
        run(` ${override === undefined ? `layer ${String(layer)}` : 'override'}`, 'faint'),
      ],
    })),
    ...gaps.map(({ from, until }) => ({
      from,
      line: [run(` ${spanText({ from, until })}  `), run('! nobody', 'critical')],
    })),
  ];
  return spans.toSorted((a, b) => a.from - b.from).map(({ line }) => line);
}

function overrideLines({ overrides }: ScheduleDetail): readonly Line[] {
  return overrides.map(({ person, by, note, ...span }) => [
    run(` ${spanText(span)}  `),
    run(safeLine(person).padEnd(18), 'accent'),
    run(safeLine(` by ${by}${note === undefined ? '' : `: ${note}`}`), 'faint'),
  ]);
}

function spanText({ from, until }: { readonly from: number; readonly until: number }): string {
  const [begin, end] = [from * 1000, until * 1000];
  return `${weekdayText(begin)} ${shownMinute(begin)} – ${weekdayText(end)} ${shownMinute(end)}`;
}

function titleLine(title: string, columns: number): Line {
  return [run(`─ ${title} `.padEnd(columns, '─'), 'faint')];
}
