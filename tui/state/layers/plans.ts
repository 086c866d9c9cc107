import type { PlanOperation } from '../../../shared/domain/plan/operator.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** A request of the user about upgrade plans: to create a plan, or to change the existing plan. */
export type PlanRequest = { readonly kind: 'new' } | PlanOperation;

export interface DialogField {
  readonly label: string;
  readonly line: LineEditor;
}

/** A dialog about an upgrade plan with explanations, text fields and two buttons. */
export interface UpgradeDialogLayer {
  readonly kind: 'upgrade-dialog';
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
  readonly wish: PlanRequest;
}

/** A screen about an upgrade plan: one step with all its findings, or the whole log of the plan. */
export interface PlanPageLayer {
  readonly kind: 'plan-page';
  readonly content: 'details' | 'log';
  /** Id of the step whose details are shown; `undefined` if the whole log is shown. */
  readonly step: string | undefined;
  /**
   * Index of the first visible line. If it is `undefined`, the page shows the end of the text, also when lines are
   * added.
   */
  readonly top: number | undefined;
}
