import { wrapIndex, isLastText, isTyped, stepForm, type FormField } from '../form/form.ts';
import type { FormDialog } from '../keys/form-dialog.ts';
import { mayChange } from '../keys/may-change.ts';
import { checkPlanRequest } from './plans/plan-requests.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { DialogField, FieldsDialogLayer } from '../state/layers/fields-dialog.ts';
import { checkOverride } from './on-call/override-check.ts';
import { closeLayer, openLayer, putLayer } from '../state/layer-stack.ts';

/**
 * Opens a dialog with text fields and two buttons.
 *
 * @param question the content of the dialog; by default the first text field has the focus, or the cancel button if
 *   there is no text field
 */
export function openFieldsDialog(
  store: Screen,
  question: Pick<FieldsDialogLayer, 'title' | 'lines' | 'button' | 'wish'> & {
    readonly fields?: readonly DialogField[];
    readonly focused?: 'submit';
    readonly command?: string | undefined;
  },
): void {
  const { fields = [], focused = fields[0]?.label ?? 'cancel', command, ...content } = question;
  openLayer(store, { kind: 'fields-dialog', ...content, fields, field: focused, command, problem: undefined });
}

const ENDS_PLAN: ReadonlySet<FieldsDialogLayer['wish']['kind']> = new Set(['roll-back', 'abandon']);

export const FIELDS_FORM: FormDialog<FieldsDialogLayer> = {
  step: (layer, step) => ({
    ...stepForm(fieldsOf(layer), layer, step),
    ...(step.kind === 'edit' && { problem: undefined }),
  }),
  field: ({ field }) => field,
  isText: (layer) => isTyped(fieldsOf(layer), layer),
  // The end of a plan needs its button.
  isLastText: (layer) => !ENDS_PLAN.has(layer.wish.kind) && isLastText(fieldsOf(layer), layer),
  submit: submitDialog,
  press: (store, { command }, key) => {
    if (key.text === 'c' && command !== undefined) store.request({ kind: 'copy', label: 'command', text: command });
  },
};

/**
 * Returns the fields of the dialog: its text fields, the cancel button and the submit button. On a button, the arrow
 * keys move the focus, as Tab does.
 */
function fieldsOf({ fields }: FieldsDialogLayer): readonly FormField<FieldsDialogLayer>[] {
  const ids = [...fields.map(({ label }) => label), 'cancel', 'submit'];
  const moveFocus = (layer: FieldsDialogLayer, by: 1 | -1): FieldsDialogLayer => ({
    ...layer,
    field: ids[wrapIndex(ids.indexOf(layer.field) + by, ids.length)] ?? layer.field,
  });
  return ids.map((id, index): FormField<FieldsDialogLayer> => {
    const field = fields[index];
    if (field === undefined) return { id, choose: moveFocus };
    return {
      id,
      line: {
        of: () => field.line,
        with: (layer, line) => ({ ...layer, fields: layer.fields.with(index, { ...field, line }) }),
      },
    };
  });
}

function submitDialog(store: Screen & Pick<LiveData, 'plans' | 'feed'>, layer: FieldsDialogLayer): void {
  if (!mayChange(store, 'form-submit')) return;
  const texts = layer.fields.map(({ line }) => line.text.trim());
  // The change is checked again now, because it may have become impossible while the dialog was open.
  const { wish } = layer;
  const outcome = wish.kind === 'override' ? checkOverride(store, wish, texts) : checkPlanRequest(store, wish, texts);
  if (outcome.kind === 'problem') {
    return putLayer(store, { ...layer, problem: outcome.text, field: layer.fields[0]?.label ?? 'cancel' });
  }
  closeLayer(store);
  if (outcome.kind === 'gone') return store.say(outcome.text, 'problem');
  store.request(outcome.effect);
}
