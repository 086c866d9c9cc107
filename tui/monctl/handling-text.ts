import type { EventExplanation, SimulatedResult } from '../../shared/schemas/explain.ts';
import { countWithNoun } from '../../shared/domain/count-text.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { deliveryText } from '../words/delivery-text.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import { statusText } from './severity-text.ts';
import { recordText, tableText, type Column, type CellStyle, type TableStyle } from './table.ts';

type HandledEvent = NonNullable<EventExplanation['event']>;

/** The decision whether a handler runs for an event, and its last delivery; a simulated result has no delivery. */
type Verdict = SimulatedResult['handlers'][number] & Partial<Pick<EventExplanation['handlers'][number], 'delivery'>>;

interface Handling extends Pick<EventExplanation, 'client' | 'check' | 'reason'> {
  readonly event: HandledEvent | null;
  readonly subdued?: boolean;
  readonly handlers: readonly Verdict[];
  /** Effects of a simulated result on inhibition rules. */
  readonly inhibits?: SimulatedResult['inhibits'];
  readonly aggregates?: SimulatedResult['aggregates'];
}

/**
 * Formats the details of an event, followed by a table with the verdict of each handler.
 *
 * @param recurring the recurring silences among the silences that cover the event
 * @param answer whether anybody was notified of the event; `undefined` if it is not known
 */
export function handlingText(
  { client, check, event, subdued = false, reason, handlers, inhibits = [], aggregates = [] }: Handling,
  nowMs: number,
  look: TableStyle,
  recurring: readonly SilencedDetail[] = [],
  answer?: string,
): string {
  const summary = recordText(
    [
      ...(answer === undefined ? [] : [['answer', answer] as const]),
      ['client', client],
      ['check', check],
      ['event', event === null ? 'none' : eventSummary(event)],
      ...(subdued ? [['subdued', SUBDUED_TEXT] as const] : []),
      [answer === undefined ? 'reason' : 'now', reason],
      ...recurring.map((entry) => ['recurs', recurringText(entry)] as const),
      ...inhibits.map((inhibition) => ['inhibits', inhibitionText(inhibition)] as const),
      ...aggregates.map((rule) => ['aggregate', ruleText(rule)] as const),
    ],
    look,
  );
  if (handlers.length === 0) return summary;
  const hasRuns = handlers.some(({ delivery }) => delivery !== undefined);
  const hasWorkflows = handlers.some(({ workflow }) => workflow !== undefined);
  const columns = [
    HANDLER_COLUMN,
    ...(hasWorkflows ? [WORKFLOW_COLUMN] : []),
    VERDICT_COLUMN,
    ...(hasRuns ? [lastRun(nowMs)] : []),
    REASON_COLUMN,
  ];
  return `${summary}\n\n${tableText(columns, handlers, look)}`;
}

const SUBDUED_TEXT = 'the check is in a subdue window: the backend does not schedule it now';

/** Formats the state of an event, such as `CRIT (2), create, occurrences 3, silenced by client:web-1:*`. */
function eventSummary({ status, action, occurrences, silenced_by }: HandledEvent): string {
  const silenced = silenced_by.length === 0 ? 'not silenced' : `silenced by ${silenced_by.join(', ')}`;
  return [statusText(status), action, `occurrences ${String(occurrences)}`, silenced].join(', ');
}

/**
 * Formats the recurrence of a silence, such as `client:web-1:* again at sat,sun 02:00 Europe/Berlin, 2h each; this
 * window ends in 41m`.
 */
function recurringText({ id, expire, recurrence }: SilencedDetail): string {
  const when = recurrence === undefined ? '' : ` again at ${recurrenceText(recurrence)};`;
  return `${id}${when} this window ends in ${formatDuration(expire)}`;
}

type Inhibition = NonNullable<SimulatedResult['inhibits']>[number];

/** Describes the effect of a simulated result on the events that an inhibition rule inhibits. */
function inhibitionText({ rule, change, inhibited, equal }: Inhibition): string {
  const shared = equal.length === 0 ? '' : ` with the same ${equal.join(', ')}`;
  if (change === 'starts') return `${rule} would inhibit matching events${shared} from then on`;
  const events = countWithNoun(inhibited, 'event');
  return change === 'stops'
    ? `${rule} would no longer inhibit anything: ${events} that ${inhibited === 1 ? 'is' : 'are'} inhibited now would be notified as usual`
    : `${rule} would still inhibit ${events}`;
}

/**
 * Describes the effect of a simulated result on an aggregate, such as `web: web-health would be CRIT (2), now OK (0): 3
 * of 4 (75 %) not OK`.
 */
function ruleText({ aggregate, check, status, text, was }: NonNullable<SimulatedResult['aggregates']>[number]): string {
  const before = was === null ? '' : status === was ? ', as now' : `, now ${statusText(was)}`;
  return `${aggregate}: ${check} would be ${statusText(status)}${before}: ${text}`;
}

const HANDLER_COLUMN: Column<Verdict> = { title: 'HANDLER', text: ({ handler }) => handler };
/** Table column with the pipeline, workflow and handler, such as `page/escalate runs pagerduty`. */
const WORKFLOW_COLUMN: Column<Verdict> = {
  title: 'PIPELINE',
  text: ({ workflow: of }) => (of === undefined ? '' : `${of.pipeline}/${of.workflow} runs ${of.handler}`),
};
const VERDICT_COLUMN: Column<Verdict> = {
  title: 'VERDICT',
  text: ({ verdict }) => verdict,
  style: ({ verdict }) => VERDICT_STYLES.get(verdict),
};
const REASON_COLUMN: Column<Verdict> = { title: 'REASON', text: ({ reason }) => reason };

/** Colors of the verdicts in the table. A red verdict is a problem that an operator must fix. */
const VERDICT_STYLES: ReadonlyMap<string, CellStyle> = new Map<string, CellStyle>([
  ['handle', 'green'],
  ['overflow', 'red'],
  ['unknown_mutator', 'red'],
  ['unknown_handler', 'red'],
  ['nested_set', 'red'],
  ['nested_escalation', 'red'],
  ['unknown_pipeline', 'red'],
  ['empty_pipeline', 'red'],
]);

function lastRun(nowMs: number): Column<Verdict> {
  return {
    title: 'LAST RUN',
    text: ({ delivery }) => (delivery === null || delivery === undefined ? '' : deliveryText(delivery, nowMs)),
    style: ({ delivery }) => (delivery?.state === 'failed' ? 'red' : undefined),
  };
}
