import type { KeyAction, KeyPress } from '../actions/keys.ts';
import { countOf, operationName } from '../state/changes.ts';
import { askFirst, named, TYPED_ABOVE } from './confirm.ts';
import type { SubmittedSilenced } from '../../shared/schemas/silenced.ts';
import type { LineEdit } from './line-editor.ts';
import { mayChange } from '../actions/may-change.ts';
import { changedMeanwhile, entryText, lastSilenceOf, silenceOperations } from '../actions/silences.ts';
import {
  isTextField,
  nextSilenceForm,
  silenceSubmission,
  type SilenceForm,
  type SilenceFormAction,
} from '../screens/silences/form.ts';
import { nameOf, stillThere } from '../actions/targets.ts';
import type { Target } from '../model/target.ts';
import type { Screen, Asks, Silencing, Shown } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { Known } from '../model/known.ts';
import type { ActionPorts } from '../actions/action-ports.ts';
import type { SilenceLayer } from '../state/layers/silence.ts';

export function pressForm(store: ActionPorts, action: KeyAction): void {
  const layer = silenceLayer(store);
  if (layer === undefined) return;
  switch (action) {
    case 'form-next':
      return change(store, layer, { kind: 'field', by: 1 });
    case 'form-previous':
      return change(store, layer, { kind: 'field', by: -1 });
    case 'form-enter':
      if (layer.form.field === 'cancel') return closeForm(store);
      if (layer.form.field === 'submit') return submit(store, layer);
      return change(store, layer, { kind: 'field', by: 1 });
    case 'form-submit':
      return submit(store, layer);
    case 'form-cancel':
      return closeForm(store);
    default:
      return undefined;
  }
}

/** Every other key belongs to the field: text where there is text, a choice where there is none. */
export function typeInForm(store: Screen, edit: LineEdit | undefined, key?: KeyPress): void {
  const layer = silenceLayer(store);
  if (layer === undefined) return;
  if (isTextField(layer.form.field)) {
    if (edit !== undefined) change(store, layer, { kind: 'edit', edit });
    return;
  }
  if (key === undefined) return;
  const chosen = choiceOf(key);
  if (chosen !== undefined) change(store, layer, chosen);
}

function choiceOf(key: KeyPress): SilenceFormAction | undefined {
  if (key.name === 'left' || key.text === 'h') return { kind: 'choose', by: -1 };
  if (key.name === 'right' || key.text === 'l') return { kind: 'choose', by: 1 };
  if (key.name === 'space') return { kind: 'toggle' };
  if (key.text !== undefined && /^[1-9]$/.test(key.text)) return { kind: 'preset', number: Number(key.text) };
  return undefined;
}

function submit(store: ActionPorts, layer: SilenceLayer): void {
  if (!mayChange(store, 'form-submit')) return;
  const form = recheck(store, layer.form);
  if (form !== layer.form) return put(store, form);
  const { creator, now } = store.options;
  const submission = silenceSubmission(form, { creator, policy: store.silencePolicy, nowMs: now() });
  if (submission.kind === 'incomplete') {
    return put(store, { ...form, problem: submission.problem, field: submission.field });
  }
  if (form.origin === undefined) store.rememberSilence(lastSilenceOf(form));
  closeForm(store);
  send(store, form.origin?.kind === 'change' ? 'change-silence' : 'silence', submission.entries);
}

/** The form with what must be seen before it is sent; the same form when there is nothing. */
function recheck(
  store: Pick<Silencing, 'silencePolicy' | 'silencePreview'> & Pick<Known, 'events' | 'silenced'>,
  form: SilenceForm,
): SilenceForm {
  const living = stillThere(store, form.targets);
  if (living.length < form.targets.length) return withoutResolved(form, living);
  const [changed, ...others] = changedMeanwhile(store, form);
  if (changed !== undefined) return { ...form, problem: meanwhileText(changed, others.length) };
  const { total } = store.silencePreview(form);
  if (form.origin !== undefined || form.isWarned || total < store.silencePolicy.warn_matches) return form;
  return { ...form, problem: `this silences ${countOf(total, 'event')}: Ctrl-S again does it`, isWarned: true };
}

/** When they are many their number is asked for; the settings are kept for the next time. */
function send(
  store: Screen & Asks & Pick<ListOfView, 'updateList'>,
  verb: 'silence' | 'change-silence',
  entries: readonly SubmittedSilenced[],
): void {
  const operations = silenceOperations(entries);
  const effect = { kind: 'change', change: { verb, operations } } as const;
  if (operations.length <= TYPED_ABOVE) {
    store.updateList({ marks: new Set(), lastMark: undefined });
    return store.request(effect);
  }
  const [first] = entries;
  const button = `${verb === 'silence' ? 'Make' : 'Change'} ${countOf(operations.length, 'silence')}`;
  askFirst(store, {
    title: button,
    lines: [...named(operations.map(operationName)), ...(first === undefined ? [] : [entryText(first)])],
    button,
    count: operations.length,
    effect,
  });
}

/** What is silenced is what the dialog shows: when that has changed, it is shown before it is sent. */
function withoutResolved(form: SilenceForm, living: readonly Target[]): SilenceForm {
  if (living.length === 0) return { ...form, problem: 'all of these events have resolved: Esc closes' };
  const keys = new Set(living.map(({ key }) => key));
  const resolved = form.targets.filter(({ key }) => !keys.has(key));
  const [first] = resolved;
  const who = first !== undefined && resolved.length === 1 ? nameOf(first) : countOf(resolved.length, 'event');
  return {
    ...form,
    targets: living,
    problem: `${who} resolved meanwhile and left this list: Ctrl-S again silences the rest`,
  };
}

function meanwhileText(changed: string, others: number): string {
  return `${changed} meanwhile${others === 0 ? '' : `, and ${countOf(others, 'other')}`}: Esc closes`;
}

function change(store: Screen, layer: SilenceLayer, action: SilenceFormAction): void {
  put(store, nextSilenceForm(layer.form, action));
}

function put(store: Screen, form: SilenceForm): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), { kind: 'silence', form }] });
}

function closeForm(store: Screen): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}

function silenceLayer(store: Shown): SilenceLayer | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'silence' ? layer : undefined;
}
