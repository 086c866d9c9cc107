import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ListedSchedule } from '../../shared/schemas/on-call.ts';
import { SHIFT_DAYS } from '../../shared/schemas/shift-days.ts';
import { NO_SCHEDULE_TEXT, shiftEndText } from '../words/on-call-text.ts';
import { printFirstItems, requestedCount } from './list-output.ts';
import type { LinePrompt } from './line-prompt.ts';
import type { LinesState } from './state.ts';

/** Prints the on-call schedules with the person on call and the next gap. */
export async function listSchedules(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const count = requestedCount(prompt, 'schedules', args);
  if (count === undefined) return;
  const schedules = await (await state.context.api()).schedules(undefined, SHIFT_DAYS.default);
  if (schedules.length === 0) prompt.say(NO_SCHEDULE_TEXT);
  printFirstItems(prompt, count, schedules, (schedule) => scheduleSentence(schedule, state.nowMs));
}

/**
 * Returns a sentence about a schedule, such as `database: ada is on call until Mon 09:00Z, then bob; nobody is on call
 * from Sat 00:00Z until Sun 00:00Z`.
 */
function scheduleSentence({ name, on_call: onCall, next, gaps = [] }: ListedSchedule, nowMs: number): string {
  const end = onCall === null || onCall.until === null ? '' : ` until ${shiftEndText(onCall.until, nowMs)}`;
  const then = next === null ? '' : `, then ${next.person}`;
  const gap = gaps.find(({ from }) => from * 1000 > nowMs);
  const gapText =
    gap === undefined
      ? ''
      : `; nobody is on call from ${shiftEndText(gap.from, nowMs)} until ${shiftEndText(gap.until, nowMs)}`;
  return safeLine(`${name}: ${onCall?.person ?? 'nobody'} is on call${end}${then}${gapText}`);
}
