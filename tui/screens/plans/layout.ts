import { pageRows } from '../../state/screen-layout.ts';
import { shownPlan } from './plan.ts';
import type { Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';

/** Rows that the page of a plan gives to each of its parts. */
export interface PlanLayout {
  readonly tall: boolean;
  /** Between the header and the footer of the screen. */
  readonly height: number;
  readonly steps: number;
  /** The log of the step under the cursor, without its title. */
  readonly log: number;
}

/** What the plan is, who holds it, the heads of the columns, the title of the log. */
const FIXED_ROWS = 4;
const LOG_ROWS_MIN = 5;

export function planLayout(store: Shown & Pick<Known, 'plans'>): PlanLayout {
  const { tall, rows: height } = pageRows(store.state);
  const count = shownPlan(store)?.steps.length ?? 0;
  const steps = Math.max(1, Math.min(count, height - FIXED_ROWS - LOG_ROWS_MIN));
  return { tall, height, steps, log: Math.max(0, height - FIXED_ROWS - steps) };
}
