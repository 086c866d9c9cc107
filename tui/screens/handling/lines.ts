import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { deliveryText } from '../../words/delivery-text.ts';
import { notificationAnswer } from '../../words/notified-text.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { run, SEVERITY_STYLES, type Line, type Tone } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { BLANK_DESCRIPTION, descriptionLines, type Description } from '../../text/describe.ts';
import { cutCells } from '../../text/wrap-cells.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { HandlingLayer } from '../../state/layers/loaded.ts';

type HandlerVerdict = EventExplanation['handlers'][number];

/** Maximum width of a handler's name in cells, so that the columns after it fit. */
const NAME_CELLS_MAX = 20;

/** Maximum number of handlers that the detail screen of an event lists. If there are more, a line says how many. */
const SHORT_MAX = 6;

/** Tones of the verdicts that say how a handler handles an event. A red verdict needs a fix by an operator. */
const VERDICT_TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ['handle', 'ok'],
  ['overflow', 'critical'],
  ['unknown_mutator', 'critical'],
  ['unknown_handler', 'critical'],
  ['unknown_pipeline', 'critical'],
  ['empty_pipeline', 'critical'],
  ['nested_set', 'critical'],
  ['nested_escalation', 'critical'],
]);

/** Returns a line for each handler of an event: its name, the verdict, the outcome of its last run, and the reason. */
export function handlerRows({ handlers, reason }: EventExplanation, nowMs: number, width: number): readonly Line[] {
  if (handlers.length === 0) return [[run(cutCells(safeLine(reason), width))]];
  const cells = {
    name: Math.min(NAME_CELLS_MAX, Math.max(...handlers.map(({ handler }) => cellWidth(safeLine(handler))))),
    verdict: Math.max(...handlers.map(({ verdict }) => cellWidth(safeLine(verdict)))),
  };
  const shown = handlers.slice(0, SHORT_MAX);
  const rows = shown.map((verdict) => handlerRow(verdict, { ...cells, nowMs, width }));
  const moreCount = handlers.length - shown.length;
  return moreCount === 0 ? rows : [...rows, [run(`and ${countOf(moreCount, 'more handler')}`, 'faint')]];
}

function handlerRow(
  { handler, verdict, reason, delivery, notified }: HandlerVerdict,
  layout: { readonly name: number; readonly verdict: number; readonly nowMs: number; readonly width: number },
): Line {
  // The last run of a handler that was not notified of this event was about an earlier one.
  const isShown = delivery !== null && notified !== false;
  const last = isShown ? `${safeLine(deliveryText(delivery, layout.nowMs))}  ` : '';
  const available = Math.max(0, layout.width - layout.name - layout.verdict - 4);
  const shownLast = cutCells(last, available);
  return [
    run(`${fitToWidth(safeLine(handler), layout.name)}  `),
    run(`${fitToWidth(safeLine(verdict), layout.verdict)}  `, VERDICT_TONES.get(verdict) ?? 'plain'),
    run(shownLast, delivery?.state === 'failed' ? 'critical' : 'plain'),
    run(cutCells(safeLine(reason), Math.max(0, available - cellWidth(shownLast))), 'faint'),
  ];
}

/** Returns the lines of the screen that explains how each handler handles an event. */
export function handlingLines(
  { nowMs, state }: ScreenView & Pick<LiveData, 'nowMs'>,
  { load: { data } }: HandlingLayer,
): readonly Line[] {
  if (data === undefined) return [];
  const { event, reason, handlers } = data;
  const notified = notificationAnswer(data, nowMs);
  const all: readonly Description[] = [
    ...(notified === undefined ? [] : [{ label: 'answer', text: notified, tone: 'strong' as const }]),
    { label: 'event', text: event === null ? 'none' : eventText(event) },
    { label: 'now', text: reason, tone: notified === undefined ? 'strong' : 'plain' },
    ...handlers.flatMap((verdict) => handlerDetails(verdict, nowMs)),
  ];
  return descriptionLines(all, { width: state.size.columns - 1 });
}

function eventText({ status, action, occurrences, silenced_by: ids }: NonNullable<EventExplanation['event']>): string {
  const silenced = ids.length === 0 ? 'not silenced' : `silenced by ${ids.join(', ')}`;
  return `${SEVERITY_STYLES[severityOf(status)].word}, ${action}, ${countOf(occurrences, 'occurrence')}, ${silenced}`;
}

function handlerDetails({ handler, verdict, reason, delivery }: HandlerVerdict, nowMs: number): readonly Description[] {
  const last = delivery === null ? 'never run' : deliveryText(delivery, nowMs);
  return [
    BLANK_DESCRIPTION,
    { label: 'handler', text: handler, tone: 'strong' },
    { label: 'verdict', text: verdict, tone: VERDICT_TONES.get(verdict) ?? 'plain' },
    { label: 'reason', text: reason },
    { label: 'last run', text: last, tone: delivery?.state === 'failed' ? 'critical' : 'plain' },
  ];
}
