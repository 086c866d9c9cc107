import { pageRows } from '../../state/screen-layout.ts';
import { shownPlan } from './plan.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/** The number of rows of the page of an upgrade plan: in total, for the steps, and for the log. */
export interface PlanLayout {
  readonly tall: boolean;
  /** Number of screen rows between the header and the footer. */
  readonly height: number;
  readonly steps: number;
  /** Rows of the log of the step under the cursor, without the title of the log. */
  readonly log: number;
}

/** Number of rows for the title of the plan, its owner, the column titles, and the title of the log. */
const FIXED_ROWS = 4;
const LOG_ROWS_MIN = 5;

export function planLayout(store: ScreenView & Pick<LiveData, 'plans'>): PlanLayout {
  const { tall, rows: height } = pageRows(store.state);
  const count = shownPlan(store)?.steps.length ?? 0;
  const steps = Math.max(1, Math.min(count, height - FIXED_ROWS - LOG_ROWS_MIN));
  return { tall, height, steps, log: Math.max(0, height - FIXED_ROWS - steps) };
}
