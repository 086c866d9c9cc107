import type { ReactElement } from 'react';
import { Hints } from '../footer.tsx';
import { isStale, ShortHeader } from '../header.tsx';
import { MessageLine } from '../message-line.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { countText } from '../../words/count-text.ts';
import { loadedBodyRows } from '../../state/screen-layout.ts';
import { planPageLines, planPageTop } from './page.ts';
import { shownPlan, stepNumber } from './plan.ts';
import { run, type Run, type Theme } from '../../text/theme.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import type { Known, Places } from '../../model/known.ts';
import type { Opened, Shown } from '../../state/ports.ts';
import type { PlanPageLayer } from '../../state/layers/plans.ts';

/** All about a step of a plan, or the whole log of the plan: text that is read from top to bottom. */
export function PlanPageScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Known & Places;
  readonly layer: PlanPageLayer;
}): ReactElement {
  const { size, message } = store.state;
  const height = loadedBodyRows(size.rows);
  const lines = planPageLines(store, layer);
  const top = planPageTop(store, layer);
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row theme={theme} runs={placeRuns(store, layer)} />
      <Row theme={theme} runs={[run('─'.repeat(size.columns), 'faint')]} />
      <Rows theme={theme} lines={lines.slice(top, top + height)} height={height} />
      <MessageLine
        theme={theme}
        message={message}
        stale={isStale(store.feed)}
        notice={store.plans.failure}
        about={`line ${countText(top + 1)}/${countText(lines.length)}`}
      />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function placeRuns(store: Pick<Known, 'plans'>, { about, step }: PlanPageLayer): readonly Run[] {
  const plan = shownPlan(store);
  if (plan === undefined) return [run(' upgrade', 'faint')];
  const what = about === 'log' ? 'log' : `step ${String(stepNumber(plan, step))}`;
  return [run(` upgrade › plan #${String(plan.id)} › `, 'faint'), run(what, 'strong')];
}
