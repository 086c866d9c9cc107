import { commandOf, commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { operatorActions } from '../../model/event-activity.ts';
import { seriesLines } from '../../model/series-lines.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { EventTarget } from '../../model/target.ts';
import { keyOf } from '../../state/keys.ts';
import { DETAIL_PANELS, type DetailPanel, type EventLoad } from '../../state/layers/detail.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { boundedLines, descriptionLines, RowCache, textRows } from '../../text/describe.ts';
import { run, type Line } from '../../text/theme.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import { acknowledgementText } from '../../words/acknowledgement-text.ts';
import { escalationText } from '../../words/escalation-text.ts';
import { countOf } from '../../words/changes.ts';
import { notificationAnswer } from '../../words/notified-text.ts';
import { handlerRows } from '../handling/lines.ts';
import { stripLines } from '../timeline/lines.ts';
import { whenText } from '../log/lines.ts';
import { clientText, FULL_EVENT_HINT, historyRow, LABEL_CELLS, silencesOnEvent, silenceText } from './lines.ts';
import { relatedLines } from './related.ts';

/** An event whose details are shown, on its own screen or in the pane beside the list. */
export interface ShownEvent {
  readonly target: EventTarget;
  readonly load: EventLoad;
  readonly row: EventRow | undefined;
  readonly wrap: boolean;
  /** Key of the related event or relation that is drawn as the one under the cursor; `undefined` for none. */
  readonly relatedCursor: string | undefined;
  /** Maximum number of events that are listed for each relation. */
  readonly relatedMax: number;
}

type LoadedEvent = Extract<EventLoad, { kind: 'loaded' }>;

interface PanelSource extends Omit<ShownEvent, 'load'> {
  readonly store: LiveData;
  readonly load: LoadedEvent;
  readonly width: number;
}

/** A part of the details of an event: a box on a wide screen, or a labeled paragraph. */
export interface DetailPart {
  readonly id: DetailPanel;
  readonly title: string;
  /** Title in one short word, in front of a paragraph. */
  readonly label: string;
  readonly lines: readonly Line[];
}

interface PanelDefinition extends Omit<DetailPart, 'id' | 'lines'> {
  /** Returns the lines of the panel; empty if it has nothing to show, so that it is left out. */
  readonly lines: (source: PanelSource) => readonly Line[];
}

const PANEL_DEFINITIONS: Readonly<Record<DetailPanel, PanelDefinition>> = {
  output: { title: 'Output', label: 'output', lines: outputLines },
  notifications: { title: 'Notifications', label: 'handlers', lines: notificationLines },
  related: { title: 'Related events', label: 'related', lines: relatedPanel },
  silences: { title: 'Silences', label: 'silence', lines: silenceLines },
  actions: { title: 'Operator actions, last 24 h', label: 'actions', lines: actionLines },
  history: { title: 'History', label: 'history', lines: historyLines },
  values: { title: 'Values, last 24 h', label: 'values', lines: valueLines },
  client: { title: 'Client and check', label: 'client', lines: clientLines },
};

/**
 * Returns the parts of the details of a loaded event that have something to show, the most important first.
 *
 * @param widthOf callback that returns the width of the lines of a part in cells
 */
export function detailParts(
  store: LiveData,
  { load, ...shown }: Omit<ShownEvent, 'load'> & { readonly load: LoadedEvent },
  widthOf: (id: DetailPanel) => number,
): readonly DetailPart[] {
  return DETAIL_PANELS.flatMap((id) => {
    const { title, label, lines: linesOf } = PANEL_DEFINITIONS[id];
    const lines = linesOf({ ...shown, load, store, width: widthOf(id) });
    return lines.length === 0 ? [] : [{ id, title, label, lines }];
  });
}

function outputLines({ load: { event }, width, wrap }: PanelSource): readonly Line[] {
  return outputRows.rowsOf(event, `${String(width)} ${String(wrap)}`, () =>
    textRows(boundedLines(event.check.output, FULL_EVENT_HINT), { width, indent: 0, wraps: wrap }),
  );
}

const outputRows = new RowCache<Event>();

/**
 * Returns who acknowledged the event, how far it has escalated, what inhibits it, whether anybody was notified, and
 * what each handler does; empty if there is none of these and the backend has not reported its handlers.
 */
function notificationLines({ load: { handling }, row, store: { nowMs }, width }: PanelSource): readonly Line[] {
  const by = row?.inhibited_by;
  const owner = row?.acknowledged;
  const cause = [
    ...(owner === undefined ? [] : [acknowledgementText(owner, nowMs)]),
    ...(row?.escalations ?? []).map((escalation) => escalationText(escalation, nowMs)),
    ...(by === undefined ? [] : [`inhibited by ${by.rule}: ${by.client}/${by.check} is failing`]),
  ];
  const causeLines = cause.flatMap((text) => proseLines(safeLine(text), width)).map((line) => [run(line)]);
  if (handling === undefined) return causeLines;
  const answer = notificationAnswer(handling, nowMs);
  const lines = answer === undefined ? [] : proseLines(safeLine(answer), width);
  const hint = [run(`press ${keyOf('explain')} for the full explanation`, 'faint')];
  return [...lines.map((line) => [run(line, 'strong')]), ...causeLines, ...handlerRows(handling, nowMs, width), hint];
}

function relatedPanel({ store, target, row, relatedCursor: cursor, relatedMax, width }: PanelSource): readonly Line[] {
  return row === undefined ? [] : relatedLines(store, { target, row }, { width, cursor, eventsMax: relatedMax });
}

function silenceLines({ store, target, load: { event }, width }: PanelSource): readonly Line[] {
  const entries = silencesOnEvent(store, target.key, event);
  if (entries.length === 0) return [[run('none', 'faint')]];
  return entries.flatMap((entry) => proseLines(silenceText(entry, store.nowMs), width).map((line) => [run(line)]));
}

/** Returns a text of whole words in lines, without the blank at which a line was wrapped. */
function proseLines(text: string, width: number): readonly string[] {
  return wrapCells(text, width).map((line, index) => (index === 0 ? line : line.trimStart()));
}

function actionLines({ store: { nowMs }, load: { activity }, width }: PanelSource): readonly Line[] {
  if (activity === undefined) return [];
  const actions = operatorActions(activity);
  if (actions.length === 0) return [[run('none', 'faint')]];
  return actions.slice(0, ACTIONS_MAX).map(({ atMs, text }) => {
    const when = `${whenText(atMs, nowMs)}  `;
    return [run(when, 'faint'), run(cutCells(safeLine(text), Math.max(0, width - when.length)))];
  });
}

/** Maximum number of operator actions that are shown. */
const ACTIONS_MAX = 20;

function historyLines({ load: { event, activity }, width }: PanelSource): readonly Line[] {
  const { past } = activity ?? {};
  return [historyRow(event), ...(past === undefined ? [] : stripLines(past, width))];
}

function valueLines({ load: { activity }, width }: PanelSource): readonly Line[] {
  return activity?.series === undefined ? [] : seriesLines(activity.series, { width, rows: PLOT_ROWS });
}

/** Number of rows of a plot with its title. */
const PLOT_ROWS = 7;

function clientLines({ load: { event, nextRun }, store: { nowMs }, width }: PanelSource): readonly Line[] {
  const command = commandOf(event.check['command']);
  const seconds = nextRun === undefined ? undefined : nextRun - nowMs / 1000;
  const next = seconds === undefined ? [] : [seconds > 0 ? `next run in ${formatDuration(seconds)}` : 'next run now'];
  return [clientText(event), ...next, ...(command === undefined ? [] : [`command: ${commandText(command)}`])]
    .flatMap((text) => proseLines(safeLine(text), width))
    .map((line) => [run(line)]);
}

/**
 * Returns the parts with an output of at most `linesMax` lines, so that the other parts are visible below it. A note
 * says how many lines are left out.
 */
export function withShortOutput(parts: readonly DetailPart[], linesMax: number, hint: string): readonly DetailPart[] {
  return parts.map((part) => {
    const left = part.lines.length - linesMax;
    if (part.id !== 'output' || left <= 1) return part;
    const note = run(`… and ${countOf(left, 'more line')}: ${hint}`, 'faint');
    return { ...part, lines: [...part.lines.slice(0, linesMax), [note]] };
  });
}

/** Returns the parts of an event as paragraphs below each other, each with its label on the left. */
export function paragraphLines(parts: readonly DetailPart[], width: number, focused?: DetailPanel): readonly Line[] {
  return parts.flatMap(({ id, label, lines }) => {
    const described = descriptionLines([{ label, rows: lines }], { width, cells: LABEL_CELLS });
    const [first, ...others] = described;
    if (id !== focused || first === undefined) return described;
    return [[run(`>${label}`.padEnd(LABEL_CELLS), 'accent'), ...first.slice(1)], ...others];
  });
}
