import type { PlanWish } from '../../../shared/domain/plan/operator.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** A user's request about plans: to create one, or to change the existing one. */
export type UpgradeWish = { readonly kind: 'new' } | PlanWish;

export interface DialogField {
  readonly label: string;
  readonly line: LineEditor;
}

/** A dialog about an upgrade plan with explanations, text fields and two buttons. */
export interface UpgradeDialogLayer {
  readonly kind: 'upgrade-dialog';
  readonly title: string;
  /** Safe for a terminal. */
  readonly lines: readonly string[];
  readonly fields: readonly DialogField[];
  /** The effect in words. */
  readonly button: string;
  /** Label of the field that has the focus; or `cancel` or `submit`, the buttons below. */
  readonly field: string;
  /** The problem with the typed text. */
  readonly problem: string | undefined;
  /** The command that `c` copies, if no text field has the focus. */
  readonly command: string | undefined;
  readonly wish: UpgradeWish;
}

/** The screen of a plan: one of its steps with all findings, or its whole log. */
export interface PlanPageLayer {
  readonly kind: 'plan-page';
  readonly content: 'details' | 'log';
  /** Id of the step. */
  readonly step: string | undefined;
  /** Index of the first visible line; `undefined` follows the end, including new lines. */
  readonly top: number | undefined;
}
