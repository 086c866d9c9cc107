import type { LineEditor } from '../../text/line-editor.ts';
import type { PlanRequest } from './plans.ts';

/** A request of the user to put a person on call in place of a schedule. */
export interface OverrideRequest {
  readonly kind: 'override';
  readonly schedule: string;
}

export interface DialogField {
  readonly label: string;
  readonly line: LineEditor;
}

/** A dialog with explanations, text fields and two buttons: about an upgrade plan, or about an override. */
export interface FieldsDialogLayer {
  readonly kind: 'fields-dialog';
  readonly title: string;
  /** The lines of explanation in the dialog, without control characters. */
  readonly lines: readonly string[];
  readonly fields: readonly DialogField[];
  /** Label of the submit button. It says what the button does. */
  readonly button: string;
  /** Label of the text field that has the focus, or `cancel` or `submit` for one of the buttons. */
  readonly field: string;
  /** The problem with the typed text; `undefined` if the text is valid. */
  readonly problem: string | undefined;
  /**
   * The command that the key `c` copies while no text field has the focus; `undefined` if there is no command to copy.
   */
  readonly command: string | undefined;
  readonly wish: PlanRequest | OverrideRequest;
}
