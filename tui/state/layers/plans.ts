import type { PlanOperation } from '../../../shared/domain/plan/operator.ts';

/** A request of the user about upgrade plans: to create a plan, or to change the existing plan. */
export type PlanRequest = { readonly kind: 'new' } | PlanOperation;

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
