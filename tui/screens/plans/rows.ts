import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import type { PlanRun, PlanRunLogLine, PlanRunStep, PlanRunStepState } from '../../../shared/schemas/plan-run.ts';
import type { RuleVerdict } from '../../../shared/schemas/plan.ts';
import { clockText, spanText } from '../connection/connection-text.ts';
import { spreadRuns } from '../../text/runs.ts';
import { keyOf } from '../../state/keys.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { run, type Line, type Tone } from '../../text/theme.ts';
import { centredTop, WIDE_COLUMNS } from '../../state/screen-layout.ts';
import { isOwnedBy } from '../../../shared/domain/plan/operator.ts';
import { wrapCells } from '../../text/wrap-cells.ts';
import { planLayout } from './layout.ts';
import { stepNumber, stepUnderCursor } from './plan.ts';
import { stepCommandLine } from './questions.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import { restoreCommandLine } from '../../words/plan-text.ts';

/** The symbol and word of each state of a step. Both are shown, so that color is never the only sign. */
export const STEP_STATES: Readonly<
  Record<PlanRunStepState, { readonly symbol: string; readonly word: string; readonly tone: Tone }>
> = {
  pending: { symbol: ' ', word: '', tone: 'faint' },
  running: { symbol: '●', word: 'running', tone: 'accent' },
  confirm: { symbol: '•', word: 'confirm', tone: 'warning' },
  done: { symbol: '✓', word: 'done', tone: 'ok' },
  failed: { symbol: '✗', word: 'failed', tone: 'critical' },
  skipped: { symbol: '-', word: 'skipped', tone: 'warning' },
};

export const VERDICT_SYMBOLS: Readonly<Record<RuleVerdict, { readonly symbol: string; readonly tone: Tone }>> = {
  pass: { symbol: '✓', tone: 'ok' },
  warn: { symbol: '!', tone: 'warning' },
  block: { symbol: '✗', tone: 'critical' },
};

/** Returns all lines of the page of an upgrade plan: its title, owner, steps and log. */
export function planRows(store: ScreenView & Pick<LiveData, 'plans' | 'nowMs'>, plan: PlanRun): readonly Line[] {
  const { columns } = store.state.size;
  const { steps, log } = planLayout(store);
  return [
    titleRow(store, plan, columns),
    spreadRuns(holderRuns(store, plan), findingRuns(plan), columns),
    ...stepRows(store, plan, steps),
    ...logRows(store, plan, log),
  ];
}

function titleRow({ nowMs }: Pick<LiveData, 'nowMs'>, plan: PlanRun, columns: number): Line {
  const { id, from, to, created_at, created_by, state } = plan;
  const end = state === 'open' ? nowMs : (plan.log.at(-1)?.at ?? nowMs);
  return spreadRuns(
    [
      run(` UPGRADE ${safeLine(from)} → ${safeLine(to)}`, 'strong'),
      run(`   plan #${String(id)}, created ${clockText(created_at, false)} by ${safeLine(created_by)}`),
    ],
    [run(`  ${state === 'open' ? 'elapsed' : 'took'} ${spanText(end - created_at)} `)],
    columns,
  );
}

function holderRuns(store: ScreenView, plan: PlanRun): Line {
  switch (plan.state) {
    case 'done':
      return [run(' ✓ upgrade complete', 'ok')];
    case 'abandoned':
      return [run(' plan abandoned', 'warning')];
    case 'rolled-back':
      return [run(` rolled back: stop the backend; ${keyOf('plan-copy')} copies the restore command`, 'warning')];
    default:
      break;
  }
  const { holder } = plan;
  if (holder === null) return [run(` owner: none; press ${keyOf('plan-hold')} to take ownership`, 'warning')];
  const isOwn = isOwnedBy(plan, store.options.session);
  return [
    run(' owner: '),
    run(`${safeLine(holder.who)}${isOwn ? ' (this console)' : ''}`, isOwn ? 'strong' : 'accent'),
  ];
}

/** Returns the number of findings by verdict, such as `✗ 1 block  ! 2 warn  ✓ 8 pass`. */
function findingRuns({ findings }: PlanRun): Line {
  return (['block', 'warn', 'pass'] as const).flatMap((verdict) => {
    const count = findings.filter((finding) => finding.verdict === verdict).length;
    const { symbol, tone } = VERDICT_SYMBOLS[verdict];
    return count === 0 ? [] : [run(`${symbol} ${String(count)} ${verdict}  `, tone)];
  });
}

const STATE_CELLS = 7;
const TIME_CELLS = 6;
/** Width of the cursor, the symbol and the number of a step, with the gaps between them, in cells. */
const LEFT_CELLS = 9;
const NOTE_CELLS_MIN = 24;

function stepRows(store: ScreenView & Pick<LiveData, 'nowMs'>, plan: PlanRun, height: number): readonly Line[] {
  const { columns } = store.state.size;
  const cells = titleCells(plan, columns);
  const index = Math.max(0, stepNumber(plan, store.state.upgrade.step) - 1);
  const top = centredTop(index, plan.steps.length, height);
  const head = `${' '.repeat(LEFT_CELLS - 3)}#  ${fitToWidth('STEP', cells)}  ${fitToWidth('STATE', STATE_CELLS)}  ${fitToWidth('TIME', TIME_CELLS)}${columns < WIDE_COLUMNS ? '' : '  NOTE'}`;
  return [
    [run(fitToWidth(head, columns), 'faint')],
    ...plan.steps
      .slice(top, top + height)
      .map((step, row) => stepRow(store, plan, step, { cells, isCursor: top + row === index })),
  ];
}

/** Returns the width of the step titles in cells: that of the longest title, if notes fit beside it. */
function titleCells({ steps }: PlanRun, columns: number): number {
  const longest = Math.max(...steps.map(({ title }) => cellWidth(safeLine(title))), 4);
  const note = columns < WIDE_COLUMNS ? 0 : NOTE_CELLS_MIN + 2;
  return Math.min(longest, columns - LEFT_CELLS - STATE_CELLS - TIME_CELLS - 4 - note);
}

function stepRow(
  store: ScreenView & Pick<LiveData, 'nowMs'>,
  plan: PlanRun,
  step: PlanRunStep,
  { cells, isCursor }: { readonly cells: number; readonly isCursor: boolean },
): Line {
  const { columns } = store.state.size;
  const isNext = plan.state === 'open' && step.state === 'pending' && currentStep(plan)?.id === step.id;
  const { symbol, word, tone } = isNext ? NEXT_STEP : STEP_STATES[step.state];
  const number = String(stepNumber(plan, step.id)).padStart(2);
  const title = fitToWidth(safeLine(step.title), cells);
  const left = [
    run(isCursor ? ' > ' : '   '),
    run(symbol, tone),
    run(` ${number}  `),
    run(title, isCursor ? 'cursor' : 'plain'),
    run('  '),
    run(fitToWidth(word, STATE_CELLS), tone),
    run(`  ${fitToWidth(timeText(step, store.nowMs), TIME_CELLS)}`),
  ];
  if (columns < WIDE_COLUMNS) return left;
  const noteWidth = columns - LEFT_CELLS - cells - STATE_CELLS - TIME_CELLS - 6;
  return [...left, run(`  ${fitToWidth(noteText(step), noteWidth)}`, 'faint')];
}

const NEXT_STEP = { symbol: '›', word: 'next', tone: 'strong' } as const;

function timeText({ state, started_at, ended_at }: PlanRunStep, nowMs: number): string {
  if (started_at === null || state === 'skipped') return '';
  if (ended_at !== null) return formatDuration((ended_at - started_at) / 1000);
  return state === 'running' ? formatDuration((nowMs - started_at) / 1000) : '-';
}

function noteText({ note, confirm, state }: PlanRunStep): string {
  if (note !== '') return safeLine(note);
  return confirm !== undefined && state === 'pending' ? 'cannot be undone' : '';
}

/**
 * Returns the log of the step under the cursor, the newest line last, followed by the commands that the operator has to
 * run. If the log is empty, returns the details of the step instead.
 */
function logRows(store: ScreenView & Pick<LiveData, 'plans'>, plan: PlanRun, height: number): readonly Line[] {
  const { columns } = store.state.size;
  const step = stepUnderCursor(store);
  const title = `─ ${step === undefined ? 'log' : `step ${String(stepNumber(plan, step.id))} log`} `;
  const rule = [run(`${title}${'─'.repeat(Math.max(0, columns - title.length))}`, 'faint')];
  const orders = orderLines(plan, step);
  const lines = plan.log
    .filter((line) => line.step === (step?.id ?? null))
    .flatMap((line) => wrapLine(logLine(line), columns));
  const shown =
    lines.length > 0
      ? lines
      : (step?.details ?? []).flatMap((text) => wrapLine([run(' '), run(safeLine(text), 'faint')], columns));
  const logHeight = Math.max(0, height - orders.length);
  return [rule, ...shown.slice(Math.max(0, shown.length - logHeight)), ...orders];
}

/** Wraps the text of a line. Further rows are indented, so that only the first row has the head, such as the time. */
function wrapLine([head, text]: Line, columns: number): readonly Line[] {
  if (head === undefined || text === undefined) return [];
  const indent = cellWidth(head.text);
  return wrapCells(text.text, columns - indent).map((piece, index) => [
    index === 0 ? head : run(' '.repeat(indent)),
    { ...text, text: piece },
  ]);
}

/** Returns the line with the commands that the operator has to run; empty if there are none. */
function orderLines(plan: PlanRun, step: PlanRunStep | undefined): readonly Line[] {
  if (plan.state === 'rolled-back' && plan.backup !== null) return [commandLine(restoreCommandLine(plan.backup))];
  const command = step?.state === 'confirm' || step?.state === 'pending' ? stepCommandLine(step) : undefined;
  return command === undefined ? [] : [commandLine(command)];
}

function commandLine(command: string): Line {
  return [run(' $ ', 'accent'), run(command, 'strong'), run(`   ${keyOf('plan-copy')} copies it`, 'faint')];
}

export function logLine({ at, text }: PlanRunLogLine): Line {
  return [run(` ${clockText(at)}  `, 'faint'), run(safeLine(text))];
}
