import { formatDuration } from '../../shared/domain/duration.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { countOf } from '../words/changes.ts';
import { countText } from '../words/count-text.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { loadActivity, operatorActions, type EventActivity } from '../model/event-activity.ts';
import { rankOf } from '../model/event-record.ts';
import { relationsOf, type RankedEvent } from '../model/related-events.ts';
import { notificationAnswer } from '../words/notified-text.ts';
import { eventRowKey } from './events.ts';
import { silencesOn, type SilenceOn } from './silences-on.ts';
import type { LinesState } from './state.ts';
import { durationWords, eventSentence, nameWords } from './sentences.ts';
import type { LinePrompt } from './line-prompt.ts';

/** Maximum number of lines of a check output that are printed; further lines are only counted. */
const OUTPUT_LINES_MAX = 40;

/** Prints all details of an event for the screen reader. */
export async function eventLines(state: LinesState, prompt: LinePrompt, row: EventRow): Promise<void> {
  const api = await state.context.api();
  const event = await api.event(row.client, row.check);
  if (event === undefined) return prompt.say(`${nameWords(row)} has resolved.`);
  prompt.say(eventSentence(row, state.nowMs));
  const { client, check } = row;
  const [silences, explanation, activity] = await Promise.all([
    silencesOn(api, event.silenced_by),
    api.explainEvent(client, check).catch(() => undefined),
    loadActivity(api, { client, check }, { nowMs: state.nowMs, namespace: state.context.namespace }),
  ]);
  const context = [
    ...(explanation === undefined ? [] : notifiedLines(explanation, state.nowMs)),
    ...silenceLines(silences),
    ...inhibitorLines(row),
    ...relatedLines(state, row, event),
    ...actionLines(activity, state.nowMs),
  ];
  for (const line of linesOf(event, state.nowMs, context)) prompt.say(line);
}

/** Returns a sentence about whether anybody was notified of the event, and what happens next. */
function notifiedLines(explanation: EventExplanation, nowMs: number): readonly string[] {
  const answer = notificationAnswer(explanation, nowMs);
  return answer === undefined ? [] : [safeLine(`${answer.slice(0, 1).toUpperCase()}${answer.slice(1)}.`)];
}

function rankEvent(row: EventRow): RankedEvent {
  return { key: eventRowKey(row), row, rank: rankOf(row) };
}

/** Returns a sentence about the number of related events; empty if there are none. */
function relatedLines({ context }: LinesState, row: EventRow, event: Event): readonly string[] {
  const relations = relationsOf(
    {
      records: Array.from(context.events.values(), rankEvent),
      find: (key) => {
        const other = context.events.get(key);
        return other && rankEvent(other);
      },
      // The feed of this console has no clients, so only the subscriptions of this one are known.
      subscriptionsOf: (name) => (name === row.client ? event.client.subscriptions : []),
    },
    eventRowKey(row),
    row,
  );
  if (relations.length === 0) return [];
  return [
    safeLine(`Related: ${relations.map(({ count, which }) => `${countOf(count, 'event')} ${which}`).join('; ')}.`),
  ];
}

/** Returns sentences about what users did with the event in the last 24 hours, the newest first. */
function actionLines(activity: EventActivity, nowMs: number): readonly string[] {
  return operatorActions(activity)
    .slice(0, ACTIONS_MAX)
    .map(({ atMs, text }) => safeLine(`${durationWords((nowMs - atMs) / 1000)} ago ${text}.`));
}

/** Maximum number of operator actions that are read. */
const ACTIONS_MAX = 5;

/** Returns sentences about the silences of an event, and about the windows of its recurring silences. */
function silenceLines(silences: readonly SilenceOn[]): readonly string[] {
  if (silences.length === 0) return [];
  const recurring = silences.flatMap(({ name, detail }) =>
    detail?.recurrence === undefined
      ? []
      : `${name} recurs: ${recurrenceText(detail.recurrence)}; this window ends in ${durationWords(detail.expire)}.`,
  );
  return [`Silenced by ${silences.map(({ name }) => name).join(', ')}.`, ...recurring].map(safeLine);
}

/**
 * Returns a sentence about the rule that inhibits the event and the event that triggers the rule; empty if the event is
 * not inhibited.
 */
function inhibitorLines({ inhibited_by: by }: EventRow): readonly string[] {
  return by === undefined ? [] : [safeLine(`Inhibited by ${by.rule}: ${nameWords(by)}.`)];
}

/**
 * Returns the details of an event, one per line.
 *
 * @param context the sentences about its notifications, silences, related events and operator actions
 */
function linesOf(event: Event, nowMs: number, context: readonly string[]): readonly string[] {
  const { check, client, occurrences } = event;
  const { interval, command, handlers } = check;
  const output = safeText(check.output.trimEnd()).split('\n');
  const left = output.length - OUTPUT_LINES_MAX;
  return [
    `${countOf(occurrences, 'occurrence')} in a row; the last result came ${durationWords(nowMs / 1000 - event.timestamp)} ago.`,
    ...(typeof interval === 'number' ? [`The check runs every ${formatDuration(interval)}.`] : []),
    `Last results, oldest first: ${check.history.map((status) => severityOf(Number(status))).join(', ')}.`,
    safeLine(`Client address ${client.address}, subscriptions ${client.subscriptions.join(', ')}.`),
    ...context,
    ...(Array.isArray(handlers) ? [safeLine(`Handlers: ${handlers.join(', ')}.`)] : []),
    ...(typeof command === 'string' ? [safeLine(`Command: ${command}`)] : []),
    'Output:',
    ...output.slice(0, OUTPUT_LINES_MAX),
    ...(left > 0 ? [`and ${countText(left)} more lines.`] : []),
  ];
}
