import type { KeyPress } from '../state/keys.ts';
import { editLine, type LineEdit, type LineEditor } from '../text/line-editor.ts';

/** A form as its fields change it; the rest of it is theirs. */
export interface FormState {
  /** Id of the field that keys go to. */
  readonly field: string;
}

/** One field of a form: `id` and what can be done with it. Buttons are fields, too. */
export interface FormField<Form extends FormState> {
  readonly id: Form['field'];
  /** Whether Tab goes to it; default: always. */
  readonly isThere?: (form: Form) => boolean;
  /** The text that is typed into it. */
  readonly line?: {
    readonly of: (form: Form) => LineEditor;
    readonly with: (form: Form, line: LineEditor) => Form;
  };
  /** To the choice beside the present one. */
  readonly choose?: (form: Form, by: 1 | -1) => Form;
  /** To the choice of this number, from 1. */
  readonly pick?: (form: Form, number: number) => Form;
  /** Whether the space bar goes to the next choice. */
  readonly toggles?: true;
}

export type FormStep =
  | { readonly kind: 'field'; readonly by: 1 | -1 }
  | { readonly kind: 'choose'; readonly by: 1 | -1 }
  | { readonly kind: 'preset'; readonly number: number }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'edit'; readonly edit: LineEdit };

/** The fields that Tab goes through. */
export function fieldsThere<Form extends FormState>(
  fields: readonly FormField<Form>[],
  form: Form,
): readonly FormField<Form>[] {
  return fields.filter(({ isThere }) => isThere?.(form) !== false);
}

/** Whether text is typed into the field that keys go to. */
export function isTyped<Form extends FormState>(fields: readonly FormField<Form>[], { field }: Form): boolean {
  return fields.some(({ id, line }) => id === field && line !== undefined);
}

/** The form after a step; the same one where the field has no such step. */
export function stepForm<Form extends FormState>(fields: readonly FormField<Form>[], form: Form, step: FormStep): Form {
  const there = fieldsThere(fields, form);
  const at = there.findIndex(({ id }) => id === form.field);
  const field = there[at];
  switch (step.kind) {
    case 'field':
      return { ...form, field: there[around(at + step.by, there.length)]?.id ?? form.field };
    case 'choose':
      return field?.choose?.(form, step.by) ?? form;
    case 'preset':
      return field?.pick?.(form, step.number) ?? form;
    case 'toggle':
      return field?.toggles === true ? (field.choose?.(form, 1) ?? form) : form;
    case 'edit':
      return field?.line?.with(form, editLine(field.line.of(form), step.edit)) ?? form;
  }
}

/** What a key asks of a field that has choices. */
export function choiceOf(key: KeyPress): FormStep | undefined {
  if (key.name === 'left' || key.text === 'h') return { kind: 'choose', by: -1 };
  if (key.name === 'right' || key.text === 'l') return { kind: 'choose', by: 1 };
  if (key.name === 'space') return { kind: 'toggle' };
  if (key.text !== undefined && /^[1-9]$/.test(key.text)) return { kind: 'preset', number: Number(key.text) };
  return undefined;
}

/** An index that goes round. */
export function around(index: number, count: number): number {
  return (index + count) % Math.max(1, count);
}
