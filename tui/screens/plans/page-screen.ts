import { countText } from '../../words/count-text.ts';
import { shownPlan, stepNumber } from './plan.ts';
import { run, type Line } from '../../text/theme.ts';
import { messageLine, type Page, type PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import { textPaneOf } from '../text-pane.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { PlanPageLayer } from '../../state/layers/plans.ts';

/** Returns the screen with all details of a step, or with the whole log of the plan. */
export function planPageScreen(store: PagePorts, layer: PlanPageLayer): Page {
  const text = textPaneOf(store, layer);
  const position = `line ${countText((text?.top ?? 0) + 1)}/${countText(text?.lines.length ?? 0)}`;
  const page = textPage(store, layer, { head: [breadcrumbRuns(store, layer)] });
  return { ...page, bottom: [messageLine(store, position, store.plans.failure)] };
}

function breadcrumbRuns(store: Pick<LiveData, 'plans'>, { content, step }: PlanPageLayer): Line {
  const plan = shownPlan(store);
  if (plan === undefined) return [run(' upgrade', 'faint')];
  const what = content === 'log' ? 'log' : `step ${String(stepNumber(plan, step))}`;
  return [run(` upgrade › plan #${String(plan.id)} › `, 'faint'), run(what, 'strong')];
}
