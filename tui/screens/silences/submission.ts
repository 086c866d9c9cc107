import { formatDuration } from '../../../shared/domain/duration.ts';
import { recurrenceOf } from '../../../shared/domain/recurrence.ts';
import { policyProblem } from '../../../shared/domain/silence-policy.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { BulkOperation } from '../../../shared/schemas/bulk.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';
import type { SilencePolicy } from '../../../shared/schemas/silence-policy.ts';
import type { SubmittedMonSilenced } from '../../../shared/schemas/silenced.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { SilenceField, SilenceForm } from '../../state/layers/silence.ts';
import { targetText } from '../../../shared/domain/silence-name.ts';
import { recurrenceText } from '../../words/recurrence-text.ts';
import { readStartTime, START_TIME_HINT } from '../../../shared/domain/time-text.ts';
import { localClock } from '../../words/shown-time.ts';
import {
  durationProblem,
  endsOnResolve,
  partsOf,
  selectorProblem,
  silenceScopeEntries,
  silenceSeconds,
  silenceStartMs,
} from './form.ts';
import { fieldOfPart, isRecurring, typedRecurrence } from './recurrence.ts';

export type SilenceSubmission =
  | { readonly kind: 'ready'; readonly entries: readonly SubmittedMonSilenced[] }
  | { readonly kind: 'incomplete'; readonly problem: string; readonly field: SilenceField };

/** The data that is needed to validate the form of a silence. */
export interface SubmissionContext {
  /** The name of the user who submits the form. */
  readonly creator: string;
  readonly policy: SilencePolicy;
  readonly nowMs: number;
}

/**
 * Returns the silences that the form describes. If a value is missing, not valid, or violates the policy, returns the
 * first such problem and its field.
 */
export function silenceSubmission(form: SilenceForm, context: SubmissionContext): SilenceSubmission {
  if (form.origin === undefined && form.scope === 'search') {
    const problem = selectorProblem(form.selector.text);
    if (problem !== undefined) return incompleteSubmission('selector', problem);
  }
  const made = isRecurring(form) ? recurringEntries(form, context) : entriesOnce(form, context);
  if ('kind' in made) return made;
  for (const entry of made) {
    const refused = policyViolation(context.policy, entry);
    if (refused !== undefined) return refused;
  }
  return { kind: 'ready', entries: made };
}

type IncompleteSubmission = SilenceSubmission & { readonly kind: 'incomplete' };

function recurringEntries(
  form: SilenceForm,
  context: SubmissionContext,
): readonly SubmittedMonSilenced[] | IncompleteSubmission {
  const read = typedRecurrence(form, context.nowMs);
  if (read.problem !== undefined) return incompleteSubmission(fieldOfPart(read.part), read.problem);
  const { recurrence } = read;
  if (form.origin !== undefined) {
    return form.origin.entries.map((entry) => ({
      ...partsOf(entry),
      ...creatorAndReason(form, context, entry),
      recurrence,
    }));
  }
  const reason = form.reason.text.trim();
  return silenceScopeEntries(form).map(({ subscription, check, selector }) => ({
    subscription,
    check,
    selector,
    reason: reason === '' ? undefined : reason,
    creator: context.creator,
    recurrence,
  }));
}

function entriesOnce(
  form: SilenceForm,
  context: SubmissionContext,
): readonly SubmittedMonSilenced[] | IncompleteSubmission {
  const startMs = silenceStartMs(form, context.nowMs);
  if (startMs === undefined) {
    const { text } = form.at;
    const { problem } = readStartTime(text, localClock(context.nowMs));
    return incompleteSubmission(
      'at',
      (text.trim() === '' ? undefined : problem) ?? `type a start time: ${START_TIME_HINT}`,
    );
  }
  const expire = silenceSeconds(form, startMs);
  if (expire === undefined) return incompleteSubmission('custom', durationProblem(form.custom.text));
  if (expire === 'keep' && endsBefore(form, startMs)) {
    return incompleteSubmission('expires', 'it would end before it starts: choose another end');
  }
  const begin = form.starts === 'at' ? startMs / 1000 : undefined;
  return form.origin === undefined
    ? newEntries(form, context, expire === 'keep' ? EXPIRE_NEVER : expire, begin)
    : form.origin.entries.map((entry) => nextEntry(form, context, entry, begin));
}

/**
 * Returns how the end of the silence violates the policy, for a warning while the user fills in the form; `undefined`
 * if it does not.
 */
export function endProblem(form: SilenceForm, policy: SilencePolicy, nowMs: number): string | undefined {
  const read = isRecurring(form) ? typedRecurrence(form, nowMs) : undefined;
  const typed = silenceSeconds(form, silenceStartMs(form, nowMs) ?? nowMs);
  const expire = read === undefined ? typed : read.problem === undefined ? read.recurrence.duration : undefined;
  if (expire === undefined || expire === 'keep') return undefined;
  return policyProblem({ ...policy, reason: 'optional' }, { expire });
}

function newEntries(
  form: SilenceForm,
  { creator }: SubmissionContext,
  expire: number,
  begin: number | undefined,
): readonly SubmittedMonSilenced[] {
  const reason = form.reason.text.trim();
  return silenceScopeEntries(form).map(({ subscription, check, selector }) => ({
    subscription,
    check,
    selector,
    begin,
    expire,
    expire_on_resolve: endsOnResolve(form),
    reason: reason === '' ? undefined : reason,
    creator,
  }));
}

/**
 * Returns the silence as it is after a change, or as it is created again. A change keeps the creator; otherwise the
 * current user becomes the creator.
 */
function nextEntry(
  form: SilenceForm,
  context: SubmissionContext,
  entry: SilencedRow,
  begin: number | undefined,
): SubmittedMonSilenced {
  const { recurrence } = entry;
  const isOnly = form.origin?.entries.length === 1;
  const words = creatorAndReason(form, context, entry);
  // If several silences are changed, a recurring silence keeps its schedule, because it has no single end.
  if (recurrence !== undefined && !isOnly) return { ...partsOf(entry), ...words, recurrence };
  const { nowMs } = context;
  const starts = form.hasStart ? begin : (entry.begin ?? undefined);
  // The lifetime counts from now, or from the start if that is in the future.
  const startMs = Math.max(nowMs, (starts ?? 0) * 1000);
  const expire = silenceSeconds(form, startMs);
  return {
    ...partsOf(entry),
    begin: starts,
    expire: expire === 'keep' ? secondsToExistingEnd(entry, startMs) : expire,
    expire_on_resolve: isOnly ? endsOnResolve(form) : entry.expire_on_resolve,
    ...words,
  };
}

/** Returns the creator and the reason of a silence that is changed or created again. */
function creatorAndReason(
  { origin, reason: { text } }: SilenceForm,
  { creator }: SubmissionContext,
  entry: SilencedRow,
): Pick<SubmittedMonSilenced, 'reason' | 'creator'> {
  const isChange = origin?.kind === 'change';
  const isOnly = origin?.entries.length === 1;
  const typed = text.trim();
  const reason = isChange ? addNote(entry, typed, creator) : isOnly || typed !== '' ? typed : (entry.reason ?? '');
  return {
    reason: reason === '' ? undefined : reason,
    creator: isChange ? (entry.creator ?? creator) : creator,
  };
}

/**
 * Returns the reason of a silence, with a note about who changed the silence and why. If the creator changes it without
 * typing a note, no note is added.
 */
function addNote({ reason, creator }: SilencedRow, note: string, by: string): string {
  if (note === '' && creator === by) return reason ?? '';
  return [...(reason === null || reason === '' ? [] : [reason]), `${by}: ${note === '' ? 'changed' : note}`].join(
    ' / ',
  );
}

function endsBefore({ origin, hasStart }: SilenceForm, startMs: number): boolean {
  return hasStart && origin?.entries.some(({ expire_at: end }) => end !== null && end * 1000 <= startMs) === true;
}

/** Returns the seconds from the start to the existing end, at least 1; -1 if the silence never expires. */
function secondsToExistingEnd({ expire_at: end }: SilencedRow, startMs: number): number {
  return end === null ? EXPIRE_NEVER : Math.max(1, Math.ceil(end - startMs / 1000));
}

function policyViolation(policy: SilencePolicy, entry: SubmittedMonSilenced): SilenceSubmission | undefined {
  const reason = entry.reason ?? '';
  if (policy.reason === 'required' && reason.trim() === '') {
    return incompleteSubmission('reason', 'a reason is required');
  }
  const ofReason = policyProblem({ ...policy, max_expire: null }, { reason });
  if (ofReason !== undefined) return incompleteSubmission('reason', ofReason);
  const { expire, recurrence } = entry;
  const ofEnd = policyProblem(policy, { reason, expire: recurrence?.duration ?? expire });
  return ofEnd === undefined ? undefined : incompleteSubmission(recurrence ? 'lasts' : 'expires', ofEnd);
}

function incompleteSubmission(field: SilenceField, problem: string): IncompleteSubmission {
  return { kind: 'incomplete', field, problem };
}

/** Returns the bulk operations that create or change the silences. */
export function silenceOperations(entries: readonly SubmittedMonSilenced[]): readonly BulkOperation[] {
  return entries.map((entry): BulkOperation => ({ op: 'silence', ...entry }));
}

/**
 * Returns a description of each silence that somebody has changed, ended or created again since the form was opened.
 */
export function changedMeanwhile(store: Pick<LiveData, 'silenced'>, { origin }: SilenceForm): readonly string[] {
  if (origin === undefined) return [];
  return origin.entries.flatMap((entry) => {
    const now = store.silenced.get(entry.id);
    const name = safeLine(targetText(entry));
    if (origin.kind !== 'change') return now === undefined ? [] : [`${name} was created again`];
    if (now === undefined) return [`${name} has ended`];
    // For a recurring silence, a different end is not a change by a user: the next window has replaced the previous
    // one.
    const hasSameEnd = entry.recurrence !== undefined || now.expire_at === entry.expire_at;
    const isSame = now.timestamp === entry.timestamp && hasSameEnd;
    return isSame ? [] : [`${name} was changed by ${safeLine(now.creator ?? 'somebody')}`];
  });
}

/** Returns a text with duration and reason of a silence. */
export function entryText({ expire, expire_on_resolve: onResolve, reason, recurrence }: SubmittedMonSilenced): string {
  if (recurrence) return safeLine(`recurring, ${recurrenceText(recurrenceOf(recurrence))}: ${reason ?? 'no reason'}`);
  const lasts =
    expire === undefined || expire === null || expire === EXPIRE_NEVER
      ? 'never expires'
      : `for ${formatDuration(expire)}`;
  return safeLine(`${lasts}${onResolve === true ? ' or until it resolves' : ''}: ${reason ?? 'no reason'}`);
}
