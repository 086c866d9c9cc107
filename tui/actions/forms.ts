import type { Action } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { KeyPress } from '../state/keys.ts';
import { FIELDS_FORM } from '../screens/fields-form.ts';
import { SILENCE_FORM } from '../screens/silences/submit.ts';
import { closeLayer, putLayer } from '../state/layer-stack.ts';
import type { Layer } from '../state/layers/layer.ts';
import { choiceStep, type FormStep } from '../form/form.ts';
import type { FormDialog } from '../keys/form-dialog.ts';
import type { LineEdit } from '../text/line-editor.ts';

/** The form of the topmost dialog: its state and its functions. */
interface OpenForm {
  readonly field: string;
  /** True if the field that has the focus is a text field. */
  readonly isText: boolean;
  readonly step: (step: FormStep) => void;
  /** True if the field that has the focus is the last text field, where Enter submits the form. */
  readonly isLastText: boolean;
  readonly submit: () => void;
  readonly cancel: () => void;
  readonly press: (key: KeyPress) => void;
}

/** The actions in dialogs with fields. */
export const FORM_ACTIONS: readonly Action[] = [
  {
    name: 'form-next',
    keys: ['tab'],
    in: ['form'],
    help: 'go to the next field',
    hint: 'next field',
    run: (store) => openForm(store)?.step({ kind: 'field', by: 1 }),
  },
  {
    name: 'form-previous',
    keys: ['shift-tab'],
    in: ['form'],
    help: 'go to the previous field',
    run: (store) => openForm(store)?.step({ kind: 'field', by: -1 }),
  },
  {
    name: 'form-down',
    keys: ['down'],
    in: ['form'],
    help: 'select the next choice of a vertical list; elsewhere go to the next field',
    run: (store) => openForm(store)?.step({ kind: 'vertical', by: 1 }),
  },
  {
    name: 'form-up',
    keys: ['up'],
    in: ['form'],
    help: 'select the previous choice of a vertical list; elsewhere go to the previous field',
    run: (store) => openForm(store)?.step({ kind: 'vertical', by: -1 }),
  },
  {
    name: 'form-row',
    keys: [
      'meta-s',
      'meta-e',
      'meta-o',
      'meta-t',
      'meta-r',
      'meta-h',
      'meta-c',
      'meta-z',
      'meta-l',
      'meta-i',
      'meta-a',
    ],
    in: ['form'],
    help: 'go to the field whose label has this letter highlighted',
    run: (store, { key }) => openForm(store)?.step({ kind: 'row', letter: key.name }),
  },
  {
    name: 'form-submit',
    keys: ['ctrl-s'],
    in: ['form'],
    help: 'submit',
    hint: 'submit',
    changes: true,
    run: (store) => {
      store.update({ submittedAtMs: store.options.now() });
      openForm(store)?.submit();
    },
  },
  {
    name: 'form-enter',
    keys: ['enter'],
    in: ['form'],
    help: 'press the selected button, submit from the last text field, or go to the next field',
    run: (store) => {
      const form = openForm(store);
      if (form?.field === 'cancel') return form.cancel();
      return form?.field === 'submit' || form?.isLastText === true
        ? form.submit()
        : form?.step({ kind: 'field', by: 1 });
    },
  },
  {
    name: 'form-cancel',
    keys: ['escape'],
    in: ['form'],
    help: 'cancel; the next silence dialog brings the text back',
    hint: 'cancel',
    run: (store) => openForm(store)?.cancel(),
  },
];

/**
 * Passes a key that has no action to the field that has the focus. A text field gets it as typed text, any other field
 * as a choice.
 */
export function typeInForm(store: ActionPorts, edit: LineEdit | undefined, key?: KeyPress): void {
  const form = openForm(store);
  if (form?.isText === true) {
    if (edit !== undefined) form.step({ kind: 'edit', edit });
    return;
  }
  if (key === undefined) {
    if (edit?.kind === 'insert') form?.step({ kind: 'type', text: edit.text });
    return;
  }
  const choice = choiceStep(key);
  if (choice !== undefined) form?.step(choice);
  form?.press(key);
}

function openForm(store: ActionPorts): OpenForm | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind === 'silence') return formOf(store, SILENCE_FORM, layer);
  return layer?.kind === 'fields-dialog' ? formOf(store, FIELDS_FORM, layer) : undefined;
}

function formOf<One extends Layer>(store: ActionPorts, dialog: FormDialog<One>, layer: One): OpenForm {
  return {
    field: dialog.field(layer),
    isText: dialog.isText(layer),
    step: (step) => putLayer(store, dialog.step(layer, step)),
    isLastText: dialog.isLastText(layer),
    submit: () => dialog.submit(store, layer),
    cancel: () => {
      closeLayer(store);
      dialog.onCancel?.(store, layer);
    },
    press: (key) => dialog.press?.(store, layer, key),
  };
}
