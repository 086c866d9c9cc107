import { currentStep } from '../../../shared/domain/plan/run.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import type { PlanRunStep, PlanRunSummary } from '../../../shared/schemas/plan-run.ts';
import type { Finding, PlanStep, RuleVerdict } from '../../../shared/schemas/plan.ts';
import { tableText, type Column, type CellStyle, type TableStyle } from '../table.ts';

const VERDICT_STYLES: Readonly<Record<RuleVerdict, CellStyle>> = { pass: 'green', warn: 'yellow', block: 'red' };

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  { title: 'VERDICT', text: ({ verdict }) => verdict, style: ({ verdict }) => VERDICT_STYLES[verdict] },
  { title: 'RULE', text: ({ rule }) => rule },
  { title: 'TITLE', text: ({ title }) => title },
];

/** Formats the findings as a table, followed by the evidence and remedies of the findings that do not pass. */
export function findingsText(findings: readonly Finding[], look: TableStyle): string {
  const details = findings
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ rule, verdict, evidence, remedy }) =>
      [`${rule} (${verdict}):`, ...evidence.map((line) => `  ${line}`), ...remedy.map((line) => `  -> ${line}`)].join(
        '\n',
      ),
    );
  return [
    tableText(FINDING_COLUMNS, findings, look),
    ...details.map((text) => (look.raw ? text : safeText(text))),
  ].join('\n\n');
}

type ShownStep = PlanStep & { readonly state?: PlanRunStep['state']; readonly note?: string };
type NumberedStep = readonly [number: number, step: ShownStep];

/** Formats the steps of an upgrade plan as a table: with state and note for a stored plan, otherwise with commands. */
export function stepsText(steps: readonly ShownStep[], look: TableStyle): string {
  const hasState = steps.some(({ state }) => state !== undefined);
  const columns: readonly Column<NumberedStep>[] = [
    { title: '#', align: 'right', text: ([number]) => String(number) },
    { title: 'STEP', text: ([, { id }]) => id },
    { title: 'KIND', text: ([, { kind }]) => kind },
    ...(hasState ? [{ title: 'STATE', text: ([, { state }]: NumberedStep) => state ?? '' }] : []),
    { title: 'WHAT', text: ([, { title }]) => title },
    ...(hasState
      ? [{ title: 'NOTE', text: ([, { note = '' }]: NumberedStep) => note }]
      : [{ title: 'COMMAND', text: ([, { commands = [] }]: NumberedStep) => commands.join(' ; ') }]),
  ];
  return tableText(
    columns,
    steps.map((step, at) => [at + 1, step]),
    look,
  );
}

/** Describes an upgrade plan in one line, such as `plan 3, 6.4.0 to 6.5.0: open, step 4 of 12, owned by ada`. */
export function planLine(plan: PlanRunSummary): string {
  const { id, from, to, state, steps, holder } = plan;
  const step = currentStep(plan);
  const progress =
    step === undefined || state !== 'open'
      ? ''
      : `, step ${String(steps.indexOf(step) + 1)} of ${String(steps.length)}`;
  const ownerText = holder === null ? '' : `, owned by ${holder.who}`;
  return `plan ${String(id)}, ${from} to ${to}: ${state}${progress}${ownerText}`;
}
