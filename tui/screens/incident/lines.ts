import { escalationChangeText } from '../../../shared/domain/notify/escalation-change.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { stripOf } from '../../../shared/domain/timeline/strip.ts';
import type { CheckHistory } from '../../../shared/schemas/availability.ts';
import type { ReportAction, ReportActionKind, ReportEscalation } from '../../../shared/schemas/report.ts';
import type { LiveData } from '../../model/live-data.ts';
import { parseIncidentId } from '../../model/incident-id.ts';
import { targetName, targetOf } from '../../model/target.ts';
import type { Incident, IncidentLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { fitRuns } from '../../text/runs.ts';
import { run, SEVERITY_STYLES, type Line, type Run, type Tone } from '../../text/theme.ts';
import { timeAxis, zoneText } from '../../text/plot.ts';
import { shownClock } from '../../words/shown-time.ts';
import { whenText } from '../log/lines.ts';
import { stripCell } from '../timeline/lines.ts';

/** Number of screen rows above the bars: the cursor, the marks of actions, the axis, and its times. */
export const INCIDENT_HEAD_ROWS = 4;

/** Maximum width of the names left of the bars, in cells. */
const NAME_CELLS_MAX = 40;

/** Width of the symbol of the status left of a name, with the spaces around it, in cells. */
const SYMBOL_CELLS = 3;

/** Number of cells between the name of the time zone and the axis. */
const AXIS_GAP = 2;

/** The mark of the step of an escalation on the axis. */
const ESCALATION_MARK = 'E';

/** The key of each action, which is its mark on the axis. */
const ACTION_KEYS: Readonly<Record<ReportActionKind, string>> = {
  silenced: 's',
  acknowledged: 'K',
  ended: 'u',
  resolved: 'r',
  deleted: 'D',
  renamed: 'n',
};

type IncidentPorts = ScreenView & Pick<LiveData, 'nowMs'>;

/** The position of the bars on the screen, and the time span that they show. */
interface TimeAxis {
  readonly since: number;
  readonly until: number;
  /** Width of the column left of the bars, in cells. */
  readonly left: number;
  /** Width of the bars, in cells. */
  readonly cells: number;
  /** The cell of the shown moment: a moment of the past, or the right end for live data. */
  readonly cursor: number;
  readonly cursorMs: number;
}

/** Returns the lines above the bars: the shown moment, the actions of operators, and the time axis. */
export function incidentHead(store: IncidentPorts, layer: IncidentLayer): readonly Line[] {
  const { data } = layer.load;
  if (data === undefined) return [];
  const axis = axisOf(store, layer, data);
  const zone = zoneText(data).padStart(axis.left - AXIS_GAP);
  return [cursorLine(store, axis), marksLine(data, axis), ...timeAxis(data, zone, axis.cells)];
}

/**
 * Returns the bars of an incident, the event that failed first at the top. The steps of escalations and the actions of
 * operators are below.
 */
export function incidentLines(store: IncidentPorts, layer: IncidentLayer): readonly Line[] {
  const { data } = layer.load;
  if (data === undefined) return [];
  const axis = axisOf(store, layer, data);
  const rows = data.rows.toSorted((a, b) => firstProblemMs(a.history) - firstProblemMs(b.history));
  return [
    ...rows.map(({ key, history }) => barLine(targetName(targetOf(key)), history, axis)),
    [],
    ...escalationLines(store, data.escalations),
    ...actionLines(store, data.actions),
  ];
}

function axisOf({ state, options }: IncidentPorts, { id }: IncidentLayer, { since, until }: Incident): TimeAxis {
  const { columns } = state.size;
  const names = parseIncidentId(id).keys.map((key) => cellWidth(targetName(targetOf(key))));
  const left = SYMBOL_CELLS + Math.min(Math.max(...names), NAME_CELLS_MAX, columns >> 1) + 1;
  const cells = Math.max(1, columns - left - 1);
  const cursorMs = state.past?.atMs ?? options.now();
  const cell = Math.floor(((cursorMs - since) / Math.max(1, until - since)) * cells);
  return { since, until, left, cells, cursor: Math.max(0, Math.min(cells - 1, cell)), cursorMs };
}

/** Returns the line with the time of the shown moment above its cell. */
function cursorLine({ state }: ScreenView, { left, cells, cursor, cursorMs }: TimeAxis): Line {
  const time = state.past === undefined ? 'now' : shownClock(cursorMs);
  const isLeft = cursor >= time.length + 1;
  const text = isLeft ? `${time} ▼`.padStart(cursor + 1) : `${' '.repeat(cursor)}▼ ${time}`.slice(0, cells);
  return [run(' '.repeat(left)), run(text, 'accent')];
}

function marksLine(
  { actions, escalations }: Pick<Incident, 'actions' | 'escalations'>,
  { since, until, left, cells }: TimeAxis,
): Line {
  const marks = Array.from({ length: cells }, () => ' ');
  const marked = [
    ...actions.map(({ at, action }) => ({ at, symbol: ACTION_KEYS[action] })),
    ...escalations.map(({ at }) => ({ at, symbol: ESCALATION_MARK })),
  ];
  for (const { at, symbol } of marked) {
    if (at < since || at > until) continue;
    const cell = Math.min(cells - 1, Math.floor(((at - since) / Math.max(1, until - since)) * cells));
    marks[cell] = marks[cell] === ' ' || marks[cell] === symbol ? symbol : '*';
  }
  return [run(fitToWidth(' actions', left), 'faint'), run(marks.join(''), 'strong')];
}

function barLine(name: string, history: CheckHistory, { left, cells, cursor, cursorMs }: TimeAxis): Line {
  const status = statusAtTime(history, cursorMs);
  const { symbol, tone } =
    status === undefined ? { symbol: ' ', tone: 'plain' as const } : SEVERITY_STYLES[severityOf(status)];
  const label = fitRuns([run(` ${symbol} `, tone), run(name)], left);
  const bar = stripOf(history, cells).map((cell, index): readonly [string, Tone] => {
    // Time that was OK is blank, so that only problems are bars.
    const [text, cellTone] = cell === 'ok' ? ([' ', 'plain'] as const) : stripCell(cell);
    return index === cursor && text === ' ' ? ['│', 'accent'] : [text, cellTone];
  });
  return [...label, ...joinedRuns(bar)];
}

/** Joins neighboring cells of the same tone to one run. */
function joinedRuns(cells: readonly (readonly [string, Tone])[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [text, tone] of cells) {
    const last = runs.at(-1);
    if (last?.tone === tone) runs[runs.length - 1] = run(last.text + text, tone);
    else runs.push(run(text, tone));
  }
  return runs;
}

/** Returns the status of a check at a time; `undefined` if it is unknown. */
function statusAtTime({ stretches }: CheckHistory, atMs: number): number | undefined {
  // The history ends when it was loaded; its last status still applies.
  const period = stretches.find(({ since, until }) => since <= atMs && atMs < until) ?? stretches.at(-1);
  return period !== undefined && period.since <= atMs ? period.status : undefined;
}

function firstProblemMs({ stretches }: CheckHistory): number {
  return stretches.find(({ status = 0 }) => status !== 0)?.since ?? Infinity;
}

/** Maximum width of the names of users in the list of actions, in cells. */
const WHO_CELLS_MAX = 20;
const ACTION_CELLS = 13;

/** Returns the steps of escalations with the handlers that they notified; empty if there were none. */
function escalationLines(
  { nowMs }: Pick<LiveData, 'nowMs'>,
  escalations: readonly ReportEscalation[],
): readonly Line[] {
  if (escalations.length === 0) return [];
  return [
    [run(' Escalations', 'strong'), run(`  ${String(escalations.length)}`, 'faint')],
    ...escalations.map((step): Line => {
      const { at, targets, count } = step;
      const others = count > targets.length ? ` and ${String(count - targets.length)} more` : '';
      return [
        run(` ${ESCALATION_MARK} `, 'strong'),
        run(`${whenText(at, nowMs).padEnd(11)}  `, 'faint'),
        run(safeLine(`${escalationChangeText({ ...step, state: 'notified' })}  ${targets.join(', ')}${others}`)),
      ];
    }),
    [],
  ];
}

function actionLines({ nowMs }: Pick<LiveData, 'nowMs'>, actions: readonly ReportAction[]): readonly Line[] {
  if (actions.length === 0) return [[run(' no operator actions in this time', 'faint')]];
  const whoCells = Math.min(WHO_CELLS_MAX, Math.max(...actions.map(({ who }) => cellWidth(safeLine(who)))));
  return [
    [run(' Operator actions', 'strong'), run(`  ${String(actions.length)}`, 'faint')],
    ...actions.map(({ at, who, action, targets, count, reason }): Line => {
      const others = count > targets.length ? ` and ${String(count - targets.length)} more` : '';
      const what = safeLine(`${targets.join(', ')}${others}${reason === undefined ? '' : `: ${reason}`}`);
      return [
        run(` ${ACTION_KEYS[action]} `, 'strong'),
        run(`${whenText(at, nowMs).padEnd(11)}  `, 'faint'),
        run(`${fitToWidth(safeLine(who), whoCells)}  ${action.padEnd(ACTION_CELLS)}${what}`),
      ];
    }),
  ];
}
