import { silencedState, SILENCED_STATES } from '../../shared/domain/silenced-state.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { countOf } from '../words/changes.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import { targetText } from '../../shared/domain/silence-name.ts';
import { startText } from '../words/shown-time.ts';
import { sendChange, askForConfirmation, isChangePossible } from './questions.ts';
import { printFirstItems, requestedCount } from './list-output.ts';
import { durationWords } from './sentences.ts';
import type { LinesState } from './state.ts';
import type { LinePrompt } from './line-prompt.ts';

/**
 * Prints the silences, sorted by state and then by end; or ends the silence at a given position in the last printed
 * list.
 */
export async function runSilencesCommand(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const ended = /^end(?:\s+(.*))?$/.exec(args);
  if (ended !== null) return await askSilenceToEnd(state, prompt, ended[1] ?? '');
  const count = requestedCount(prompt, 'silences', args);
  if (count === undefined) return;
  const { nowMs } = state;
  const silences = (await (await state.context.api()).silencedDetails()).toSorted(
    (a, b) => rankOf(a, nowMs) - rankOf(b, nowMs) || endOf(a) - endOf(b),
  );
  state.silences = silences.map(({ id }) => id);
  if (silences.length === 0) prompt.say('No silences.');
  printFirstItems(prompt, count, silences, (silence) => silenceSentence(silence, state));
}

function rankOf(silence: SilencedDetail, nowMs: number): number {
  return SILENCED_STATES.indexOf(silencedState(silence, nowMs / 1000));
}

function endOf({ expire_at: end }: SilencedDetail): number {
  return end ?? Infinity;
}

/** Returns a silence as a sentence with its state, target, creator, times, silenced events and reason. */
function silenceSentence(silence: SilencedDetail, { context, nowMs }: LinesState): string {
  const { id, creator, reason, recurrence, idle } = silence;
  let events = 0;
  for (const { silenced_by: ids } of context.events.values()) if (ids.includes(id)) events++;
  const state = silencedState(silence, nowMs / 1000);
  const parts = [
    targetText(silence),
    ...(creator === null ? [] : [`by ${creator}`]),
    ...(recurrence === undefined ? [] : [`recurring: ${recurrenceText(recurrence)}`]),
    timesWords(silence, nowMs),
    ...(state === 'pending' ? [] : [events === 0 ? 'silences no event now' : `silences ${countOf(events, 'event')}`]),
    ...(idle === undefined ? [] : ['idle']),
  ];
  return safeLine(`${state}: ${parts.join(', ')}${reason === null ? '' : `: ${reason}`}`);
}

function timesWords(silence: SilencedDetail, nowMs: number): string {
  const { begin, expire_at: end, expire_on_resolve: isUntilOk } = silence;
  const isAhead = silencedState(silence, nowMs / 1000) === 'pending' && begin !== null;
  const fromSeconds = isAhead ? begin : nowMs / 1000;
  const lasts = end === null ? 'never expires' : `for ${durationWords(end - fromSeconds)}${isAhead ? '' : ' more'}`;
  const starts = isAhead ? `from ${startText(begin)} ` : '';
  return `${starts}${lasts}${isUntilOk ? ', at most until it resolves' : ''}`;
}

async function askSilenceToEnd(state: LinesState, prompt: LinePrompt, text: string): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  const id = state.silences?.[number - 1];
  if (id === undefined) {
    return prompt.say(
      state.silences === undefined
        ? 'No silences were listed yet: type "silences".'
        : '"silences end" takes the number of a listed silence, for example "silences end 1"',
    );
  }
  const silence = await (await state.context.api()).silencedDetail(id);
  if (silence === undefined) return prompt.say('This silence has already ended.');
  const { recurrence } = silence;
  const when = recurrence === undefined ? '' : ` (recurring, ${recurrenceText(recurrence)})`;
  if (!(await askForConfirmation(prompt, safeLine(`End ${targetText(silence)}${when}, for everything it covers?`))))
    return;
  await sendChange(state, prompt, { verb: 'end-silence', operations: [{ op: 'clear', id }] });
}
