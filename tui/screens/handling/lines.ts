import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { deliveryText } from '../../words/delivery-text.ts';
import { cellWidth, fit } from '../../terminal/cells.ts';
import { run, STATUS, type Run, type Tone } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import type { Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { HandlingLayer } from '../../state/layers/loaded.ts';

type Line = readonly Run[];
type HandlerVerdict = EventExplanation['handlers'][number];

/** Cells before the text of each part. */
const LABEL_CELLS = 11;

/** Most cells of the name of a handler beside others. */
const NAME_CELLS_MAX = 20;

/** Handlers that the detail of an event names; the rest is a number. */
const SHORT_MAX = 6;

/** Red is what somebody has to mend. */
const VERDICT_TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ['handle', 'ok'],
  ['overflow', 'critical'],
  ['unknown_mutator', 'critical'],
  ['unknown_handler', 'critical'],
  ['nested_set', 'critical'],
]);

/** Each handler in one row: name, verdict, how its last run went, why. */
export function handlerRows({ handlers, reason }: EventExplanation, nowMs: number, width: number): readonly Line[] {
  if (handlers.length === 0) return [[run(cutCells(safeLine(reason), width))]];
  const cells = {
    name: Math.min(NAME_CELLS_MAX, Math.max(...handlers.map(({ handler }) => cellWidth(safeLine(handler))))),
    verdict: Math.max(...handlers.map(({ verdict }) => cellWidth(safeLine(verdict)))),
  };
  const shown = handlers.slice(0, SHORT_MAX);
  const rows = shown.map((verdict) => handlerRow(verdict, { ...cells, nowMs, width }));
  const rest = handlers.length - shown.length;
  return rest === 0 ? rows : [...rows, [run(`and ${countOf(rest, 'more handler')}`, 'faint')]];
}

function handlerRow(
  { handler, verdict, reason, delivery }: HandlerVerdict,
  about: { readonly name: number; readonly verdict: number; readonly nowMs: number; readonly width: number },
): Line {
  const last = delivery === null ? '' : `${safeLine(deliveryText(delivery, about.nowMs))}  `;
  const room = Math.max(0, about.width - about.name - about.verdict - 4);
  const shownLast = cutCells(last, room);
  return [
    run(`${fit(safeLine(handler), about.name)}  `),
    run(`${fit(safeLine(verdict), about.verdict)}  `, VERDICT_TONES.get(verdict) ?? 'plain'),
    run(shownLast, delivery?.state === 'failed' ? 'critical' : 'plain'),
    run(cutCells(safeLine(reason), Math.max(0, room - cellWidth(shownLast))), 'faint'),
  ];
}

/** What becomes of an event at each handler, whole. */
export function handlingLines(
  { nowMs, state }: Shown & Pick<Known, 'nowMs'>,
  { load }: HandlingLayer,
): readonly Line[] {
  const { data } = load;
  if (data === undefined) return [];
  const width = Math.max(10, state.size.columns - 1 - LABEL_CELLS);
  const { event, reason, handlers } = data;
  return [
    ...labelled('event', event === null ? 'none' : eventText(event), width),
    ...labelled('so', reason, width, 'strong'),
    ...handlers.flatMap((verdict) => verdictLines(verdict, nowMs, width)),
  ];
}

function eventText({ status, action, occurrences, silenced_by: ids }: NonNullable<EventExplanation['event']>): string {
  const silenced = ids.length === 0 ? 'not silenced' : `silenced by ${ids.join(', ')}`;
  return `${STATUS[severityOf(status)].word}, ${action}, ${countOf(occurrences, 'occurrence')}, ${silenced}`;
}

function verdictLines({ handler, verdict, reason, delivery }: HandlerVerdict, nowMs: number, width: number): Line[] {
  const last = delivery === null ? 'none that is known' : deliveryText(delivery, nowMs);
  return [
    [],
    ...labelled('handler', handler, width, 'strong'),
    ...labelled('verdict', verdict, width, VERDICT_TONES.get(verdict) ?? 'plain'),
    ...labelled('because', reason, width),
    ...labelled('last run', last, width, delivery?.state === 'failed' ? 'critical' : 'plain'),
  ];
}

/** @param text may come from outside */
export function labelled(name: string, text: string, width: number, tone: Tone = 'plain'): readonly Line[] {
  return wrapCells(safeLine(text), width).map((piece, index) => [
    run(` ${index === 0 ? name : ''}`.padEnd(LABEL_CELLS), 'faint'),
    run(piece, tone),
  ]);
}
