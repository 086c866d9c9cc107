import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { changeOutcomes, changeReport, undoText, type BulkChange } from '../words/changes.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import { namesOfEndedSearches, silencesOn } from './silences-on.ts';
import type { LinesState } from './state.ts';
import { nameWords } from './sentences.ts';
import type { LinePrompt } from './line-prompt.ts';

export async function askAcknowledge(state: LinesState, prompt: LinePrompt, row: EventRow): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const owner = row.acknowledged?.by;
  if (owner !== undefined) return prompt.say(safeLine(`${nameWords(row)} is already acknowledged by ${owner}.`));
  const note = await prompt.ask(`Acknowledge ${nameWords(row)} until it resolves. Note, or Enter for none: `);
  if (note === undefined) return prompt.say('Nothing was changed.');
  const { client, check } = row;
  const operation: BulkOperation = {
    op: 'acknowledge',
    client,
    check,
    owner: state.context.creator,
    ...(note.trim() !== '' && { note: note.trim() }),
  };
  await sendChange(state, prompt, { verb: 'acknowledge', operations: [operation] });
}

export async function askUnsilence(state: LinesState, prompt: LinePrompt, row: EventRow): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const { silenced_by: ids } = row;
  if (ids.length === 0) return prompt.say(`${nameWords(row)} is not silenced.`);
  const silences = await silencesOn(await state.context.api(), ids);
  const names = silences.map(({ name, detail }) => {
    const { recurrence } = detail ?? {};
    return recurrence === undefined ? name : `${name} (recurring, ${recurrenceText(recurrence)})`;
  });
  if (!(await askForConfirmation(prompt, safeLine(`End ${names.join(' and ')}, for everything else it covers too?`))))
    return;
  await sendChange(state, prompt, { verb: 'end-silence', operations: ids.map((id) => ({ op: 'clear', id })) });
}

export async function askResolve(state: LinesState, prompt: LinePrompt, row: EventRow): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  if (!(await askForConfirmation(prompt, `Resolve ${nameWords(row)}? This cannot be undone.`))) return;
  const { client, check } = row;
  await sendChange(state, prompt, { verb: 'resolve', operations: [{ op: 'resolve', client, check }] });
}

export async function confirmAndUndo(state: LinesState, prompt: LinePrompt): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const { undo } = state;
  if (undo === undefined) return prompt.say('Nothing to undo.');
  const names = await namesOfEndedSearches(await state.context.api(), undo.operations);
  const what = undo.operations.map((operation) => undoText(operation, state.nowMs, names)).join('; ');
  if (!(await askForConfirmation(prompt, `Undo "${undo.text}": ${what}?`))) return;
  state.undo = undefined;
  await sendChange(state, prompt, { verb: 'undo', operations: undo.operations });
}

export type ParseResult<T> = { readonly value: T } | { readonly problem: string };

/**
 * Repeats a question until the answer is valid.
 *
 * @returns the parsed answer; `undefined` when the user cancels or the input ends
 */
export async function promptUntilValid<T>(
  prompt: LinePrompt,
  question: string,
  read: (text: string) => ParseResult<T>,
): Promise<T | undefined> {
  for (;;) {
    const text = await prompt.ask(question);
    if (text === undefined || text.trim() === 'cancel') {
      prompt.say('Canceled; nothing was changed.');
      return undefined;
    }
    const reading = read(text.trim());
    if ('value' in reading) return reading.value;
    prompt.say(safeLine(`${reading.problem}. Type "cancel" to stop.`));
  }
}

/** Parses yes or no. A change needs an explicit answer, because a user may press Enter once too often. */
export function readYesOrNo(text: string): ParseResult<boolean> {
  if (text === 'yes' || text === 'y') return { value: true };
  if (text === 'no' || text === 'n') return { value: false };
  return { problem: 'answer yes or no' };
}

export async function askForConfirmation(prompt: LinePrompt, question: string): Promise<boolean> {
  const isYes = await promptUntilValid(prompt, `${question} yes or no:`, readYesOrNo);
  if (isYes === false) prompt.say('Nothing was changed.');
  return isYes === true;
}

/** Returns true if changes are possible now; otherwise prints the reason why not. */
export function isChangePossible({ context, isLive }: LinesState, prompt: LinePrompt): boolean {
  if (context.readOnly) prompt.say('Nothing can be changed: this console was started with --read-only.');
  else if (!isLive) prompt.say('Nothing can be changed while the backend is not connected.');
  return !context.readOnly && isLive;
}

/** Sends a change and prints its outcome. If some of its operations fail, prints the outcome of each operation. */
export async function sendChange(state: LinesState, prompt: LinePrompt, requestedChange: BulkChange): Promise<void> {
  const api = await state.context.api();
  const names = await namesOfEndedSearches(api, requestedChange.operations);
  const results = await api.bulk({
    operations: [...requestedChange.operations],
    creator: state.context.creator,
    ...(requestedChange.verb === 'undo' ? { undo: true } : {}),
  });
  const report = changeReport(requestedChange, changeOutcomes(requestedChange, results, names), state.nowMs);
  const back = results.flatMap(({ undo }) => (undo === undefined ? [] : [undo])).toReversed();
  if (requestedChange.verb !== 'undo' && back.length > 0) state.undo = { text: report.title, operations: back };
  prompt.say(`${report.title}.`);
  for (const line of report.lines) prompt.say(line);
  if (requestedChange.verb === 'silence' && report.isComplete) {
    prompt.say(`To end ${requestedChange.operations.length === 1 ? 'this silence' : 'these silences'}, type "undo".`);
  }
}
