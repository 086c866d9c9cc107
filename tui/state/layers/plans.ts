import type { PlanWish } from '../../../shared/domain/plan/operator.ts';
import type { LineEditor } from '../../text/line-editor.ts';

/** What a person wants done about plans: a new one, or something with the one there is. */
export type UpgradeWish = { readonly kind: 'new' } | PlanWish;

export interface DialogField {
  readonly label: string;
  readonly line: LineEditor;
}

/** A question about a plan for an upgrade: what it leads to, what has to be typed, and two buttons. */
export interface UpgradeDialogLayer {
  readonly kind: 'upgrade-dialog';
  readonly title: string;
  /** Safe for a terminal. */
  readonly lines: readonly string[];
  readonly fields: readonly DialogField[];
  /** The effect in words. */
  readonly button: string;
  /** Label of the field that is typed into; or `cancel` or `submit`, the buttons below. */
  readonly field: string;
  /** What is wrong with what was typed. */
  readonly problem: string | undefined;
  /** What `c` copies, where nothing is typed. */
  readonly command: string | undefined;
  readonly wish: UpgradeWish;
}

/** What there is to say about a plan, on a screen of its own: one of its steps with all findings, or its whole log. */
export interface PlanPageLayer {
  readonly kind: 'plan-page';
  readonly about: 'details' | 'log';
  /** Id of the step. */
  readonly step: string | undefined;
  /** First line that is shown; `undefined`: the end, also of what is yet to come. */
  readonly top: number | undefined;
}
