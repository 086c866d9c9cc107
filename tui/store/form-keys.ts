import type { KeyAction, KeyPress } from '../keys.ts';
import type { SilenceLayer } from './console-state.ts';
import type { ConsoleStore } from './console-store.ts';
import { countOf, stillThere } from './event-actions.ts';
import type { LineEdit } from './line-editor.ts';
import { mayChange } from './may-change.ts';
import { nextSilenceForm, silenceSubmission, type SilenceForm, type SilenceFormAction } from './silence-form.ts';

export function pressForm(store: ConsoleStore, action: KeyAction): void {
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
export function typeInForm(store: ConsoleStore, edit: LineEdit | undefined, key?: KeyPress): void {
  const layer = silenceLayer(store);
  if (layer === undefined) return;
  const { field } = layer.form;
  if (field === 'reason' || field === 'custom') {
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

function submit(store: ConsoleStore, layer: SilenceLayer): void {
  if (!mayChange(store, 'form-submit')) return;
  const { form } = layer;
  const living = stillThere(store, form.targets);
  if (living.length < form.targets.length) return put(store, withoutResolved(form, living));
  const submission = silenceSubmission(form, store.options.creator);
  if (submission.kind === 'incomplete') {
    return put(store, { ...form, problem: submission.problem, field: submission.field });
  }
  closeForm(store);
  store.updateList({ marks: new Set(), lastMark: undefined });
  store.request({ kind: 'silence', entries: submission.entries });
}

/** What is silenced is what the dialog shows: when that has changed, it is shown before it is sent. */
function withoutResolved(form: SilenceForm, living: readonly SilenceForm['targets'][number][]): SilenceForm {
  const resolved = form.targets.length - living.length;
  if (living.length === 0) return { ...form, problem: 'all of these events have resolved: Esc closes' };
  return {
    ...form,
    targets: living,
    problem: `${countOf(resolved, 'event')} resolved meanwhile and left this list: Ctrl-S again silences the rest`,
  };
}

function change(store: ConsoleStore, layer: SilenceLayer, action: SilenceFormAction): void {
  put(store, nextSilenceForm(layer.form, action));
}

function put(store: ConsoleStore, form: SilenceForm): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), { kind: 'silence', form }] });
}

function closeForm(store: ConsoleStore): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}

function silenceLayer(store: ConsoleStore): SilenceLayer | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'silence' ? layer : undefined;
}
