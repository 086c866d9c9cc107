import type { ReactElement } from 'react';
import type { PlanRun } from '../../../shared/schemas/plan-run.ts';
import { beside, halves } from '../../text/beside.ts';
import { Hints } from '../footer.tsx';
import { isStale, ShortHeader, TallHeader } from '../header.tsx';
import { MessageLine } from '../message-line.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { fitRuns } from '../../text/runs.ts';
import { pageRows } from '../../state/screen-layout.ts';
import { planLayout } from './layout.ts';
import { shownPlan, stepNumber } from './plan.ts';
import { planRows } from './rows.ts';
import { upgradeColumns, upgradeHeight, type UpgradeSection } from './lines.ts';
import { fit } from '../../terminal/cells.ts';
import { run, type Line, type Theme } from '../../text/theme.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import { failureText } from '../failure-text.ts';
import type { Opened, Shown } from '../../state/ports.ts';
import type { Known, Places } from '../../model/known.ts';
import type { ListOfView } from '../../list/list-of-view.ts';

const LABEL_CELLS = 28;

/** What runs where, and what an upgrade would have to carry over. */
export function UpgradeScreen({
  theme,
  store,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Known & Places & Pick<ListOfView, 'list'>;
}): ReactElement {
  const plan = shownPlan(store);
  if (store.state.upgrade.page === 'plan' && plan !== undefined) {
    return <PlanPage theme={theme} store={store} plan={plan} />;
  }
  const { size, message } = store.state;
  const { tall, rows } = pageRows(store.state);
  const Header = tall ? TallHeader : ShortHeader;
  const columns = upgradeColumns(store);
  const widths = columns.length > 1 ? halves(size.columns) : [size.columns];
  const lines = columns.map((sections, index) => sectionLines(sections, widths[index] ?? 0));
  const height = upgradeHeight(store);
  const top = Math.min(store.list.cursor.top, Math.max(0, height - rows));
  const place =
    height > rows ? `lines ${String(top + 1)}-${String(Math.min(height, top + rows))} of ${String(height)}: j/k` : '';
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <Rows
        theme={theme}
        lines={beside(
          lines.map((column) => column.slice(top)),
          widths,
          rows,
        )}
        height={rows}
      />
      <Row theme={theme} runs={[run('─'.repeat(size.columns), 'faint')]} />
      <MessageLine
        theme={theme}
        message={message}
        stale={isStale(store.feed)}
        notice={failureText(store) ?? store.plans.failure}
        about={place}
      />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

/** The plan for an upgrade: its steps, and the log of the one under the cursor. */
function PlanPage({
  theme,
  store,
  plan,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Known & Places;
  readonly plan: PlanRun;
}): ReactElement {
  const { size, message, upgrade } = store.state;
  const { tall, height } = planLayout(store);
  const Header = tall ? TallHeader : ShortHeader;
  const place = `step ${String(stepNumber(plan, upgrade.step))}/${String(plan.steps.length)}`;
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <Rows theme={theme} lines={planRows(store, plan)} height={height} />
      <Row theme={theme} runs={[run('─'.repeat(size.columns), 'faint')]} />
      <MessageLine
        theme={theme}
        message={message}
        stale={isStale(store.feed)}
        notice={store.plans.failure ?? failureText(store)}
        about={
          plan.state === 'open' ? `${place}   the backend holds the plan: closing this console stops no step` : place
        }
      />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function sectionLines(sections: readonly UpgradeSection[], width: number): readonly Line[] {
  return sections.flatMap(({ title, lines }, index) => [
    ...(index === 0 ? [] : [[]]),
    fitRuns([run(`  ${title.toUpperCase()}`, 'strong')], width),
    ...lines.map(({ label, text, tone }) =>
      fitRuns([run(label === '' ? '    ' : `    ${fit(label, LABEL_CELLS)}  `), run(text, tone)], width),
    ),
  ]);
}
