import { formatDuration } from '../../shared/domain/duration.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { safeLine, safeText } from '../../shared/domain/terminal-text.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { countOf } from '../words/changes.ts';
import { countText } from '../words/count-text.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
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
  const silences = await silencesOn(api, event.silenced_by);
  for (const line of linesOf(event, state.nowMs, [...silenceLines(silences), ...inhibitorLines(row)])) prompt.say(line);
}

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
 * @param quieting the sentences about its silences and inhibition
 */
function linesOf(event: Event, nowMs: number, quieting: readonly string[]): readonly string[] {
  const { check, client, occurrences } = event;
  const { interval, command, handlers } = check;
  const output = safeText(check.output.trimEnd()).split('\n');
  const left = output.length - OUTPUT_LINES_MAX;
  return [
    `${countOf(occurrences, 'occurrence')} in a row; the last result came ${durationWords(nowMs / 1000 - event.timestamp)} ago.`,
    ...(typeof interval === 'number' ? [`The check runs every ${formatDuration(interval)}.`] : []),
    `Last results, oldest first: ${check.history.map((status) => severityOf(Number(status))).join(', ')}.`,
    safeLine(`Client address ${client.address}, subscriptions ${client.subscriptions.join(', ')}.`),
    ...quieting,
    ...(Array.isArray(handlers) ? [safeLine(`Handlers: ${handlers.join(', ')}.`)] : []),
    ...(typeof command === 'string' ? [safeLine(`Command: ${command}`)] : []),
    'Output:',
    ...output.slice(0, OUTPUT_LINES_MAX),
    ...(left > 0 ? [`and ${countText(left)} more lines.`] : []),
  ];
}
