import { pageRows } from '../../state/screen-layout.ts';
import { shownPlan } from './plan.ts';
import type { Shown } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';

/** The rows of each part of the page of a plan. */
export interface PlanLayout {
  readonly tall: boolean;
  /** Screen rows between the header and the footer. */
  readonly height: number;
  readonly steps: number;
  /** Rows of the log of the step under the cursor, without its title. */
  readonly log: number;
}

/** Rows of the plan's title, its holder, the column titles and the log's title. */
const FIXED_ROWS = 4;
const LOG_ROWS_MIN = 5;

export function planLayout(store: Shown & Pick<LiveData, 'plans'>): PlanLayout {
  const { tall, rows: height } = pageRows(store.state);
  const count = shownPlan(store)?.steps.length ?? 0;
  const steps = Math.max(1, Math.min(count, height - FIXED_ROWS - LOG_ROWS_MIN));
  return { tall, height, steps, log: Math.max(0, height - FIXED_ROWS - steps) };
}
