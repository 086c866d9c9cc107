import type { KeyPress } from '../state/keys.ts';
import { editLine, type LineEdit, type LineEditor } from '../text/line-editor.ts';

/** The state that every form has: which field has the focus. */
export interface FormState {
  /** Id of the field that has the focus. */
  readonly field: string;
}

/** A field of a form: its id and its operations. A button is also a field. */
export interface FormField<Form extends FormState> {
  readonly id: Form['field'];
  /** Returns true if Tab visits the field; default: always. */
  readonly isVisited?: (form: Form) => boolean;
  /** Reads and replaces the text of the field; absent if the field is not a text field. */
  readonly line?: {
    readonly of: (form: Form) => LineEditor;
    readonly with: (form: Form, line: LineEditor) => Form;
  };
  /** The letter that goes to the field together with Alt. The label of the field contains it. */
  readonly mnemonic?: string;
  /**
   * Returns the number of choices and the index of the chosen one, if the choices are drawn one below the other. The
   * vertical arrow keys then choose, and leave the field only at its ends.
   */
  readonly verticalChoices?: (form: Form) => { readonly count: number; readonly chosen: number };
  /** Selects the next (1) or the previous (-1) choice; absent if the field has no choices. */
  readonly choose?: (form: Form, by: 1 | -1) => Form;
  /**
   * Moves the focus to a text field and types `text` there, because the user wants a value that is not among the
   * choices.
   */
  readonly type?: (form: Form, text: string) => Form;
  /** True if the Space key selects the next choice. */
  readonly toggles?: true;
  /** True if the field is a checkbox. */
  readonly isCheckbox?: true;
}

export type FormStep =
  | { readonly kind: 'field'; readonly by: 1 | -1 }
  /** Selects the choice below or above, or goes to the next or the previous field. */
  | { readonly kind: 'vertical'; readonly by: 1 | -1 }
  /** Moves the focus to the field with this letter. */
  | { readonly kind: 'row'; readonly letter: string }
  | { readonly kind: 'choose'; readonly by: 1 | -1 }
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'edit'; readonly edit: LineEdit };

/** Returns the fields that Tab visits. */
export function visitedFields<Form extends FormState>(
  fields: readonly FormField<Form>[],
  form: Form,
): readonly FormField<Form>[] {
  return fields.filter(({ isVisited: isThere }) => isThere?.(form) !== false);
}

/** Returns true if the focused field is a text field. */
export function isTyped<Form extends FormState>(fields: readonly FormField<Form>[], { field }: Form): boolean {
  return fields.some(({ id, line }) => id === field && line !== undefined);
}

/**
 * Returns the form after an input, such as a focus move or typed text. If the field does not support the input, the
 * form is unchanged.
 */
export function stepForm<Form extends FormState>(fields: readonly FormField<Form>[], form: Form, step: FormStep): Form {
  const there = visitedFields(fields, form);
  const at = there.findIndex(({ id }) => id === form.field);
  const field = there[at];
  switch (step.kind) {
    case 'field':
      return { ...form, field: there[wrapIndex(at + step.by, there.length)]?.id ?? form.field };
    case 'vertical': {
      const { count = 0, chosen = 0 } = field?.verticalChoices?.(form) ?? {};
      const isWithin = count > 0 && chosen + step.by >= 0 && chosen + step.by < count;
      return stepForm(fields, form, { kind: isWithin ? 'choose' : 'field', by: step.by });
    }
    case 'row':
      return { ...form, field: there.find(({ mnemonic }) => mnemonic === step.letter)?.id ?? form.field };
    case 'choose':
      return field?.choose?.(form, step.by) ?? form;
    case 'type':
      return field?.type?.(form, step.text) ?? form;
    case 'toggle':
      return field?.toggles === true ? (field.choose?.(form, 1) ?? form) : form;
    case 'edit':
      return field?.line?.with(form, editLine(field.line.of(form), step.edit)) ?? form;
  }
}

/** Returns true if the focused field is the last text field, where Enter submits as in a web form. */
export function isLastText<Form extends FormState>(fields: readonly FormField<Form>[], form: Form): boolean {
  return visitedFields(fields, form).findLast(({ line }) => line !== undefined)?.id === form.field;
}

/**
 * Returns the form step for a key that is pressed in a field with choices; `undefined` if the key does nothing there. A
 * printable key types text instead of a choice.
 */
export function choiceStep(key: KeyPress): FormStep | undefined {
  if (key.name === 'left') return { kind: 'choose', by: -1 };
  if (key.name === 'right') return { kind: 'choose', by: 1 };
  if (key.name === 'space') return { kind: 'toggle' };
  return key.text === undefined ? undefined : { kind: 'type', text: key.text };
}

/** The kind of the field that has the focus, for the key hints of a form. */
export type FocusedControl = 'text' | 'list' | 'choices' | 'checkbox' | 'button';

/** Returns the kind of the field that has the focus. */
export function focusedControl<Form extends FormState>(
  fields: readonly FormField<Form>[],
  form: Form,
): FocusedControl | undefined {
  const field = fields.find(({ id }) => id === form.field);
  if (field === undefined) return undefined;
  if (field.line !== undefined) return 'text';
  if (field.id === 'submit' || field.id === 'cancel') return 'button';
  if (field.verticalChoices !== undefined) return 'list';
  return field.isCheckbox === true ? 'checkbox' : 'choices';
}

/** Returns an index that wraps around: the index before 0 is the last, and the index after the last is 0. */
export function wrapIndex(index: number, count: number): number {
  return (index + count) % Math.max(1, count);
}
