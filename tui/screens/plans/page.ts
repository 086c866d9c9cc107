import { stepText } from '../../words/plan-text.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { PlanRun, PlanRunStep } from '../../../shared/schemas/plan-run.ts';
import type { Finding } from '../../../shared/schemas/plan.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { shownPlan } from './plan.ts';
import { logLine, STEP_STATES, VERDICT_SYMBOLS } from './rows.ts';
import { wrapCells } from '../../text/wrap-cells.ts';
import type { Screen, ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { PlanPageLayer } from '../../state/layers/plans.ts';
import { openLayer } from '../../state/layer-stack.ts';

export function openPlanPage(store: Screen, content: PlanPageLayer['content']): void {
  const { upgrade } = store.state;
  const layer: PlanPageLayer = {
    kind: 'plan-page',
    content,
    step: upgrade.step,
    top: content === 'log' ? undefined : 0,
  };
  openLayer(store, layer);
}

export function planPageLines(store: ScreenView & Pick<LiveData, 'plans'>, layer: PlanPageLayer): readonly Line[] {
  const plan = shownPlan(store);
  if (plan === undefined) return [[run(' the upgrade plan has not been loaded yet', 'faint')]];
  const { columns } = store.state.size;
  if (layer.content === 'log') return plan.log.flatMap((line) => wrappedLogLine(plan, line, columns));
  const step = plan.steps.find(({ id }) => id === layer.step);
  return [...(step === undefined ? [] : stepLines(plan, step, columns)), ...findingLines(plan, step, columns)];
}

/** Returns the rows of a log line, with the number of its step. A long line is wrapped. */
function wrappedLogLine(plan: PlanRun, line: PlanRun['log'][number], columns: number): readonly Line[] {
  const [time, ...text] = logLine(line);
  const number = plan.steps.findIndex(({ id }) => id === line.step) + 1;
  const stepLabel = number === 0 ? '         ' : `step ${String(number).padStart(2)}  `;
  const width = columns - (time?.text.length ?? 0) - stepLabel.length;
  return wrapCells(text.map((piece) => piece.text).join(''), width).map((piece, index) =>
    index === 0 && time !== undefined
      ? [time, run(stepLabel, 'faint'), run(piece)]
      : [run(' '.repeat(columns - width)), run(piece)],
  );
}

const KIND_SENTENCES: Readonly<Record<PlanRunStep['kind'], string>> = {
  check: 'Check: the backend verifies this step.',
  action: 'Action: the backend runs this step.',
  manual: 'Manual: you do this step, then confirm it.',
};

function stepLines(plan: PlanRun, step: PlanRunStep, columns: number): readonly Line[] {
  const { word, tone } = STEP_STATES[step.state];
  const { confirm, commands = [] } = step;
  return [
    [run(` ${stepText(plan, step)}`, 'strong'), run(word === '' ? '' : `  ${word}`, tone)],
    [run(` ${KIND_SENTENCES[step.kind]}`)],
    ...wrapTexts(step.details, columns),
    ...(confirm === undefined
      ? []
      : wrapTexts([`This cannot be undone: type ${confirm} to run it.`], columns, 'warning')),
    ...(commands.length === 0 ? [] : [[], [run(' COMMANDS', 'strong')]]),
    ...wrapTexts(
      commands.map((command) => `$ ${command}`),
      columns,
    ),
    ...(step.note === '' ? [] : [[], [run(' NOTE', 'strong')], ...wrapTexts([step.note], columns)]),
    [],
  ];
}

/**
 * Returns the lines of an upgrade plan's findings: first that of the rule that the step checks, then the others, the
 * worst first.
 */
function findingLines({ findings }: PlanRun, step: PlanRunStep | undefined, columns: number): readonly Line[] {
  const rank = (finding: Finding): number =>
    finding.rule === step?.rule ? 0 : { block: 1, warn: 2, pass: 3 }[finding.verdict];
  const heading: readonly Line[] = [[run(' FINDINGS', 'strong')]];
  return heading.concat(
    findings.toSorted((a, b) => rank(a) - rank(b)).flatMap((finding) => findingDetails(finding, columns)),
  );
}

function findingDetails({ title, verdict, evidence, remedy }: Finding, columns: number): readonly Line[] {
  const { symbol, tone } = VERDICT_SYMBOLS[verdict];
  return [
    [run(` ${symbol} ${verdict.padEnd(5)}`, tone), run(` ${safeLine(title)}`)],
    ...wrapTexts(evidence, columns, 'plain', 9),
    ...wrapTexts(
      remedy.map((line) => `→ ${line}`),
      columns,
      'accent',
      9,
    ),
  ];
}

function wrapTexts(
  lines: readonly string[],
  columns: number,
  tone: Run['tone'] = 'plain',
  indent = 1,
): readonly Line[] {
  return lines.flatMap((line) =>
    wrapCells(safeLine(line), columns - indent).map((piece) => [run(' '.repeat(indent)), run(piece, tone)]),
  );
}
