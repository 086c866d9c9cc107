import type { PlanRun } from '../../../shared/schemas/plan-run.ts';
import { sideBySide, halfWidths } from '../../text/side-by-side.ts';
import { messageLine, ruleLine, type Page, type PagePorts } from '../page.tsx';
import { fitRuns } from '../../text/runs.ts';
import { pageRows } from '../../state/screen-layout.ts';
import { planLayout } from './layout.ts';
import { shownPlan, stepNumber } from './plan.ts';
import { planRows } from './rows.ts';
import { upgradeColumns, upgradeHeight, type UpgradeSection } from './lines.ts';
import { fitToWidth } from '../../terminal/cells.ts';
import { run, type Line } from '../../text/theme.ts';
import { failureText } from '../failure-text.ts';

const LABEL_CELLS = 28;

/**
 * Returns the screen of the upgrade view. It shows the versions of all programs with the data that an upgrade migrates,
 * or the upgrade plan.
 */
export function upgradeScreen(store: PagePorts): Page {
  const plan = shownPlan(store);
  if (store.state.upgrade.page === 'plan' && plan !== undefined) return planScreen(store, plan);
  const { tall, rows } = pageRows(store.state);
  const columns = upgradeColumns(store);
  const widths = columns.length > 1 ? halfWidths(store.state.size.columns) : [store.state.size.columns];
  const height = upgradeHeight(store);
  const top = Math.min(store.list.cursor.top, Math.max(0, height - rows));
  const lines = columns.map((sections, index) => sectionLines(sections, widths[index] ?? 0).slice(top));
  const position =
    height > rows ? `lines ${String(top + 1)}-${String(Math.min(height, top + rows))} of ${String(height)}: j/k` : '';
  return {
    header: tall ? 'tall' : 'short',
    top: sideBySide(lines, widths, rows),
    bottom: [ruleLine(store), messageLine(store, position, failureText(store) ?? store.plans.failure)],
  };
}

/** Returns the page of an upgrade plan: its steps, and the log of the step under the cursor. */
function planScreen(store: PagePorts, plan: PlanRun): Page {
  const position = `step ${String(stepNumber(plan, store.state.upgrade.step))}/${String(plan.steps.length)}`;
  const backendNote = plan.state === 'open' ? '   the plan runs on the backend; you can close this console' : '';
  return {
    header: planLayout(store).tall ? 'tall' : 'short',
    top: planRows(store, plan),
    bottom: [ruleLine(store), messageLine(store, position + backendNote, store.plans.failure ?? failureText(store))],
  };
}

function sectionLines(sections: readonly UpgradeSection[], width: number): readonly Line[] {
  return sections.flatMap(({ title, lines }, index) => [
    ...(index === 0 ? [] : [[]]),
    fitRuns([run(`  ${title.toUpperCase()}`, 'strong')], width),
    ...lines.map(({ label, text, tone }) =>
      fitRuns([run(label === '' ? '    ' : `    ${fitToWidth(label, LABEL_CELLS)}  `), run(text, tone)], width),
    ),
  ]);
}
