import { hostname, userInfo } from 'node:os';
import { openUpgradeClient, type UpgradeClient } from '../../../shared/client/plan-client.ts';
import { MonError } from '../../../shared/errors.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { versionText } from '../../../shared/domain/plan/version.ts';
import type { PlanRun, PlanRunSummary } from '../../../shared/schemas/plan-run.ts';
import type { CommandCall, Command } from '../command.ts';
import { ExitError } from '../exit-codes.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { pollList, createTroubleReporter } from '../poll.ts';
import { tableText, type Column } from '../table.ts';
import { OPERATOR_FACT_OPTIONS, readOperatorFacts } from '../upgrade/gather-facts.ts';
import { LogReader } from '../upgrade/log-reader.ts';
import { PATH_OPTIONS, upgradePathOf } from '../upgrade/path.ts';
import { findingsText, planLine, stepsText } from '../upgrade/plan-text.ts';
import { TerminalPlanRun } from '../upgrade/run-plan.ts';
import { switchOption, valueOption, type CommandOption } from '../flags.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';
import { shownIso, shownTime } from '../../words/shown-time.ts';
import { restoreCommandLine } from '../../words/plan-text.ts';

const FORCE_OPTION: CommandOption = switchOption('take over the upgrade plan if another operator owns it');
const REASON_OPTION: CommandOption = valueOption('TEXT', 'reason for closing the upgrade plan (required)');

const PLAN_COLUMNS: readonly Column<PlanRunSummary>[] = [
  { title: 'ID', align: 'right', text: ({ id }) => String(id) },
  { title: 'FROM', text: ({ from }) => from },
  { title: 'TO', text: ({ to }) => to },
  { title: 'STATE', text: ({ state }) => state },
  {
    title: 'STEPS',
    text: ({ steps }) =>
      `${String(steps.filter(({ state }) => state === 'done' || state === 'skipped').length)} of ${String(steps.length)}`,
  },
  { title: 'HOLDER', text: ({ holder }) => holder?.who ?? '' },
  { title: 'CREATED BY', text: ({ created_by: by }) => by },
];

const list: Command = {
  words: ['upgrade', 'list'],
  summary: 'List upgrade plans, newest first',
  options: LIST_OPTIONS,
  examples: [['monctl upgrade list --watch', 'watch the open plan']],
  async run(call) {
    await showList<PlanRunSummary>(call, {
      noun: 'upgrade plans',
      columns: () => PLAN_COLUMNS,
      key: ({ id }) => String(id),
      fetch: () => clientOf(call).plans(),
      comparedPart: ({ revision }) => revision,
    });
  },
};

const show: Command = {
  words: ['upgrade', 'info'],
  summary: 'Show an upgrade plan with its steps, findings and log',
  details: [
    'Without ID, the newest plan is shown. With --watch, the command follows the log until the plan is closed.',
  ],
  operands: ['[ID]'],
  options: { watch: switchOption('follow the log until the upgrade plan is closed', { short: 'w' }) },
  examples: [
    ['monctl upgrade info', 'the newest plan'],
    ['monctl upgrade info --watch', 'follow the progress'],
  ],
  async run(call) {
    const plan = await requirePlan(call);
    const { look } = call.output;
    if (call.flags.switch('watch') === true) return followLog(call, plan);
    await call.output.show(plan, () =>
      [
        safeText(planLine(plan)),
        stepsText(plan.steps, look),
        findingsText(plan.findings, look),
        tableText(LOG_COLUMNS, plan.log, look),
        ...(plan.backup === null ? [] : [safeText(rollBackText(plan.backup))]),
      ].join('\n\n'),
    );
  },
};

/**
 * Prints the log of an upgrade plan from its beginning until the plan is closed. While the backend restarts, it waits.
 */
async function followLog(call: CommandCall, plan: PlanRun): Promise<void> {
  const client = clientOf(call);
  const log = new LogReader();
  const reportTrouble = createTroubleReporter(call.output);
  for await (const { items, trouble } of pollList(call.clock, async () => [(await client.plan(plan.id)) ?? plan])) {
    reportTrouble(trouble);
    const [now = plan] = items ?? [];
    for (const line of log.next(now)) {
      const { at, step, text } = line;
      const logLine = `${shownIso(at)}  ${step === null ? '' : `${step}: `}${text}`;
      await call.output.showNext(line, () => safeText(logLine));
    }
    if (now.state !== 'open') return;
  }
}

const LOG_COLUMNS: readonly Column<PlanRun['log'][number]>[] = [
  { title: 'TIME', text: ({ at }) => shownTime(at) },
  { title: 'STEP', text: ({ step }) => step ?? '' },
  { title: 'LOG', text: ({ text }) => text },
];

const run: Command = {
  words: ['upgrade', 'run'],
  summary: 'Run the open upgrade plan, or create and run a new plan, step by step',
  details: [
    'The plan is stored in the backend: you can continue it after a restart, here or in the console. One operator owns it at a time; others can watch.',
    'The command asks before each step: you can run it, skip it with a reason, or quit and continue later. Steps that cannot be undone must be confirmed by typing.',
    'The command needs a terminal. The options with files are used for a new plan and to verify steps.',
  ],
  options: { ...PATH_OPTIONS, ...OPERATOR_FACT_OPTIONS, force: FORCE_OPTION },
  examples: [
    ['monctl upgrade run --from 6.1.0 --to 6.5.0', 'begin'],
    ['monctl upgrade run', 'continue the open plan'],
  ],
  async run(call) {
    const { ask, output } = call;
    if (ask === undefined)
      throw new MonError('invalid', 'monctl upgrade run needs a terminal, because it asks before each step');
    const client = clientOf(call);
    const facts = await readOperatorFacts(call);
    const plan = (await openPlan(client)) ?? (await newPlan(call, client, facts));
    const taken = await takePlan(call, client, plan.id);
    const left = await new TerminalPlanRun(call, { ask, client, session: sessionOf(), operatorFacts: facts }).carryOut(
      taken,
    );
    await output.show(left, () => safeText(planLine(left)));
    if (left.state === 'open')
      throw new ExitError(EXIT_CODES.declined, 'the plan is open: continue it with monctl upgrade run');
  },
};

const takeCommand: Command = {
  words: ['upgrade', 'take'],
  summary: 'Take ownership of the open upgrade plan',
  options: { force: FORCE_OPTION },
  examples: [['monctl upgrade take --force', 'take over the plan from a console that was closed']],
  async run(call) {
    const client = clientOf(call);
    const taken = await takePlan(call, client, (await requireOpenPlan(client)).id);
    await call.output.show(taken, () => safeText(planLine(taken)));
  },
};

const abandon: Command = {
  words: ['upgrade', 'abandon'],
  summary: 'Abandon the open upgrade plan',
  details: ['Completed steps are not undone. The backend accepts results again.'],
  options: { force: FORCE_OPTION, reason: REASON_OPTION },
  examples: [["monctl upgrade abandon --reason 'the window is over'", 'afterwards, a new plan can be created']],
  run: (call) => endPlan(call, 'abandon'),
};

const rollBack: Command = {
  words: ['upgrade', 'roll-back'],
  summary: 'Close the open upgrade plan and show how to restore its backup',
  details: [
    'A running backend cannot restore its own store. monctl therefore prints the restore command: run it after you have stopped the backend and installed the earlier version.',
  ],
  options: { force: FORCE_OPTION, reason: REASON_OPTION },
  examples: [["monctl upgrade roll-back --reason 'agents do not connect'", 'print the next commands']],
  run: (call) => endPlan(call, 'roll-back'),
};

export const planCommands: readonly Command[] = [run, list, show, takeCommand, abandon, rollBack];

async function endPlan(call: CommandCall, order: 'abandon' | 'roll-back'): Promise<void> {
  const reason = call.flags.value('reason');
  if (reason === undefined) throw new MonError('invalid', "--reason is needed: --reason 'the window is over'");
  const client = clientOf(call);
  const { id } = await requireOpenPlan(client);
  await takePlan(call, client, id);
  const ended = await client.order(id, { order, session: sessionOf(), reason });
  const { backup } = ended;
  await call.output.show(ended, () =>
    safeText([planLine(ended), ...(order === 'roll-back' && backup !== null ? [rollBackText(backup)] : [])].join('\n')),
  );
}

function rollBackText(backup: string): string {
  return `to roll back: stop the backend, install the earlier version, then run ${restoreCommandLine(backup)}`;
}

function takePlan({ flags }: CommandCall, client: UpgradeClient, id: number): Promise<PlanRun> {
  return client.order(id, { order: 'take', session: sessionOf(), force: flags.switch('force') === true });
}

async function newPlan(
  call: CommandCall,
  client: UpgradeClient,
  facts: Awaited<ReturnType<typeof readOperatorFacts>>,
): Promise<PlanRun> {
  const path = await upgradePathOf(call);
  const made = await client.create({ from: versionText(path.from), to: versionText(path.to), facts });
  call.output.note(planLine(made));
  return made;
}

/**
 * Returns the open upgrade plan; `undefined` if there is none.
 *
 * @throws MonError `not_found` for a backend other than mon
 */
async function openPlan(client: UpgradeClient): Promise<PlanRunSummary | undefined> {
  try {
    return (await client.plans()).find(({ state }) => state === 'open');
  } catch (error) {
    if (!(error instanceof MonError) || error.code !== 'not_found') throw error;
    throw new MonError(
      'not_found',
      `${client.url} stores no plans because it is not a mon backend: follow the output of monctl upgrade plan manually`,
      { cause: error },
    );
  }
}

/**
 * Returns the open upgrade plan.
 *
 * @throws MonError `not_found` when there is none
 */
async function requireOpenPlan(client: UpgradeClient): Promise<PlanRunSummary> {
  const plan = await openPlan(client);
  if (plan === undefined)
    throw new MonError('not_found', 'there is no open upgrade plan: create one with monctl upgrade run');
  return plan;
}

/**
 * Returns the upgrade plan whose id is the operand, or the newest plan without an operand.
 *
 * @throws MonError `not_found` when there is no such plan, `invalid` when the operand is not an id
 */
async function requirePlan(call: CommandCall): Promise<PlanRun> {
  const [id = ''] = call.operands;
  const client = clientOf(call);
  if (id !== '' && !/^\d{1,9}$/.test(id)) throw new MonError('invalid', `${id} is not the number of an upgrade plan`);
  const planId = id === '' ? (await client.plans())[0]?.id : Number(id);
  const plan = planId === undefined ? undefined : await client.plan(planId);
  if (plan === undefined) throw new MonError('not_found', `there is no upgrade plan ${id}: see monctl upgrade list`);
  return plan;
}

function clientOf({ backend, credentials }: CommandCall): UpgradeClient {
  return openUpgradeClient({ backend, env: credentials });
}

/**
 * Returns the session id of the operator, which depends only on user and host. After a lost connection the user
 * therefore still owns the upgrade plan.
 */
function sessionOf(): string {
  return `monctl ${userInfo().username}@${hostname()}`.slice(0, 100);
}
