import type { SubmittedSilenced } from '../../../shared/schemas/silenced.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import { mayChange } from '../../keys/may-change.ts';
import { existingTargets } from '../../keys/targets.ts';
import { openConfirmation, namesWithinLimit, TYPED_CONFIRM_ABOVE } from '../../form/confirm.ts';
import { isLastText, isTyped } from '../../form/form.ts';
import type { FormDialog } from '../../keys/form-dialog.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { LiveData } from '../../model/live-data.ts';
import { type EventTarget, targetName } from '../../model/target.ts';
import { countOf, operationName } from '../../words/changes.ts';
import { recurringConflictText, RECURRENCE_UNSUPPORTED } from '../../words/recurrence-text.ts';
import { closeLayer, putLayer } from '../../state/layer-stack.ts';
import type { SilenceLayer, SilenceForm } from '../../state/layers/silence.ts';
import type { Screen, SilenceDialogData } from '../../state/ports.ts';
import { lostRecurrences } from './lost-recurrence.ts';
import { isRecurring } from './recurrence.ts';
import { nextSilenceForm, SILENCE_FIELDS, lastSilenceOf } from './form.ts';
import { silenceSubmission, changedMeanwhile, entryText, silenceOperations } from './submission.ts';

export const SILENCE_FORM: FormDialog<SilenceLayer> = {
  field: ({ form }) => form.field,
  isText: ({ form }) => isTyped(SILENCE_FIELDS, form),
  // After a warning Enter goes to the button, so that a key that repeats does not confirm.
  isLastText: ({ form }) => !form.isWarned && !form.isWarnedUncounted && isLastText(SILENCE_FIELDS, form),
  step: ({ kind, form }, step) => ({ kind, form: nextSilenceForm(form, step) }),
  submit: submitSilence,
  onCancel: (store, { form }) => {
    if (form.origin?.kind === 'change') return store.say('no silence was changed');
    const typed = form.targets.length === 0 ? [form.selector, form.reason, form.custom] : [form.reason, form.custom];
    const isKept = form.origin?.kind !== 'again' && typed.some(({ text }) => text.trim() !== '');
    store.keepSilenceDraft(isKept ? form : undefined);
    store.say(`nothing was silenced${isKept ? '; the next silence dialog brings your text back' : ''}`);
  },
};

/** Submits the form. If events or silences have changed since the user opened it, shows that in the form instead. */
function submitSilence(store: ActionPorts, layer: SilenceLayer): void {
  if (!mayChange(store, 'form-submit')) return;
  const { creator, now } = store.options;
  // What is missing comes first, so that a confirmation is not asked for twice.
  const submission = silenceSubmission(layer.form, { creator, policy: store.silencePolicy, nowMs: now() });
  if (submission.kind === 'incomplete') {
    return showForm(store, { ...layer.form, problem: submission.problem, field: submission.field });
  }
  const form = checkForChanges(store, layer.form);
  if (form !== layer.form) return showForm(store, form);
  const unknown = unknownRecurrence(store, form);
  if (unknown !== undefined) return showForm(store, { ...form, problem: unknown });
  if (form.origin === undefined) store.rememberSilence(lastSilenceOf(form));
  store.keepSilenceDraft(undefined);
  closeLayer(store);
  sendSilences(store, form.origin?.kind === 'change' ? 'change-silence' : 'silence', submission.entries);
}

/**
 * Returns the form with a message if the user must see something before the submission, such as resolved events.
 * Otherwise returns `form` itself.
 */
function checkForChanges(
  store: Pick<SilenceDialogData, 'silencePolicy' | 'silencePreview'> & Pick<LiveData, 'events' | 'silenced'>,
  form: SilenceForm,
): SilenceForm {
  // A wider scope covers the same events whether these are still open or not.
  const openTargets = existingTargets(store, form.targets);
  if (form.scope === 'pairs' && openTargets.length < form.targets.length) return removeResolved(form, openTargets);
  const [changed, ...others] = changedMeanwhile(store, form);
  if (changed !== undefined) return { ...form, problem: meanwhileText(changed, others.length) };
  const [lost] = lostRecurrences(form, store.silenced);
  if (lost !== undefined) return { ...form, problem: recurringConflictText(lost) };
  if (form.origin?.kind === 'change') return form;
  const { total, isCounting } = store.silencePreview(form);
  const again = 'press Ctrl-S again to confirm';
  if (isCounting === true) {
    if (form.isWarnedUncounted) return form;
    return { ...form, problem: `the matches are not counted yet: ${again}`, isWarnedUncounted: true };
  }
  if (form.isWarned || total < store.silencePolicy.warn_matches) return form;
  return { ...form, problem: `this silence covers ${countOf(total, 'event')}: ${again}`, isWarned: true };
}

/**
 * Returns the reason why a recurring silence cannot be submitted yet; `undefined` if it can be submitted. A backend
 * without support for recurrence would create a silence that never expires. Therefore the form waits for a response
 * that shows the support, unless all of its silences recur already.
 */
function unknownRecurrence(store: Pick<SilenceDialogData, 'silenceRecent'>, form: SilenceForm): string | undefined {
  if (!isRecurring(form) || form.origin?.entries.every(({ recurrence }) => recurrence !== undefined) === true)
    return undefined;
  const said = store.silenceRecent.of(form);
  if (said === undefined) return 'still loading the next windows: press Ctrl-S again in a moment';
  return said.windows === undefined ? RECURRENCE_UNSUPPORTED : undefined;
}

/** Sends the silences to the backend. If there are many, the user must confirm their number first. */
function sendSilences(
  store: Screen & Pick<ListOfView, 'updateList'>,
  verb: 'silence' | 'change-silence',
  entries: readonly SubmittedSilenced[],
): void {
  const operations = silenceOperations(entries);
  const effect = { kind: 'change', change: { verb, operations } } as const;
  if (operations.length <= TYPED_CONFIRM_ABOVE) {
    store.updateList({ marks: new Set(), lastMark: undefined });
    return store.request(effect);
  }
  const [first] = entries;
  const button = `${verb === 'silence' ? 'Create' : 'Change'} ${countOf(operations.length, 'silence')}`;
  openConfirmation(store, {
    title: button,
    lines: [
      ...namesWithinLimit(operations.map((operation) => operationName(operation))),
      ...(first === undefined ? [] : [entryText(first)]),
    ],
    button,
    count: operations.length,
    effect,
  });
}

/**
 * Returns the form without the events that have resolved, and with a message about them. The user must see exactly
 * which events the dialog silences before the submission.
 */
function removeResolved(form: SilenceForm, openTargets: readonly EventTarget[]): SilenceForm {
  if (openTargets.length === 0) return { ...form, problem: 'all of these events have resolved: press Esc' };
  const keys = new Set(openTargets.map(({ key }) => key));
  const resolved = form.targets.filter(({ key }) => !keys.has(key));
  const [first] = resolved;
  const who = first !== undefined && resolved.length === 1 ? targetName(first) : countOf(resolved.length, 'event');
  return {
    ...form,
    targets: openTargets,
    problem: `${who} resolved meanwhile: press Ctrl-S again to silence the rest`,
  };
}

function meanwhileText(changed: string, others: number): string {
  return `${changed} meanwhile${others === 0 ? '' : `, and ${countOf(others, 'other')}`}: press Esc`;
}

function showForm(store: Screen, form: SilenceForm): void {
  putLayer(store, { kind: 'silence', form });
}
