import type { UpgradeClient } from '../../../shared/client/plan-client.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { nextInteraction } from '../../../shared/domain/plan/operator.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import { MonError } from '../../../shared/errors.ts';
import type { PlanRun, PlanOrder, PlanRunStep, OperatorFacts } from '../../../shared/schemas/plan-run.ts';
import { isYes } from '../change.ts';
import type { AskQuestion, CommandCall } from '../command.ts';
import { waitFor, createTroubleReporter } from '../poll.ts';
import { LogReader } from './log-reader.ts';

const PLAN_CHECK_MS = 100;

/** The user's decision on a step: run or confirm it, skip it, or quit and continue the plan later. */
type StepDecision = 'go' | 'skip' | 'leave';

interface PlanRunDependencies {
  readonly ask: AskQuestion;
  readonly client: UpgradeClient;
  readonly session: string;
  readonly operatorFacts: OperatorFacts;
}

/** Runs an upgrade plan in a terminal: asks before each step and prints the log as it grows. */
export class TerminalPlanRun {
  readonly #call: Pick<CommandCall, 'output' | 'clock'>;
  readonly #dependencies: PlanRunDependencies;
  readonly #log = new LogReader();

  constructor(call: Pick<CommandCall, 'output' | 'clock'>, dependencies: PlanRunDependencies) {
    this.#call = call;
    this.#dependencies = dependencies;
  }

  /**
   * Runs the plan step by step, until it is closed or the user quits.
   *
   * @returns the plan afterwards, which may still be open
   */
  async carryOut(plan: PlanRun): Promise<PlanRun> {
    // Earlier log lines are not printed here; `monctl upgrade info` shows them.
    this.#log.next(plan);
    let current = await this.#waitForRunningStep(plan);
    for (let step = currentStep(current); step !== undefined && current.state === 'open'; step = currentStep(current)) {
      this.#announce(current, step);
      const next = await this.#step(current, step);
      if (next === undefined)
        return await this.#order(current, { order: 'release', session: this.#dependencies.session });
      current = await this.#waitForRunningStep(next);
    }
    return current;
  }

  /**
   * Asks the user about one step and sends the decision to the backend.
   *
   * @returns the plan afterwards; `undefined` if the user quits
   */
  async #step(plan: PlanRun, step: PlanRunStep): Promise<PlanRun | undefined> {
    const interaction = nextInteraction(step);
    const wish = await this.#askForDecision(
      interaction === 'confirm' ? 'is it done' : step.kind === 'manual' ? 'begin' : 'run it',
    );
    if (wish === 'leave') return undefined;
    if (wish === 'skip') return await this.#skip(plan, step);
    const stepFields = { session: this.#dependencies.session, step: step.id, facts: this.#dependencies.operatorFacts };
    if (interaction === 'confirm') return await this.#order(plan, { order: 'confirm', ...stepFields });
    if (interaction !== 'type') return await this.#order(plan, { order: 'start', ...stepFields });
    const typed = await this.#dependencies.ask(safeText(`type ${step.confirm ?? ''} to run it: `));
    return await this.#order(plan, { order: 'start', ...stepFields, typed: typed.trim() });
  }

  async #skip(plan: PlanRun, step: PlanRunStep): Promise<PlanRun> {
    const reason = await this.#dependencies.ask('why: ');
    return await this.#order(plan, { order: 'skip', session: this.#dependencies.session, step: step.id, reason });
  }

  async #askForDecision(question: string): Promise<StepDecision> {
    const answer = await this.#dependencies.ask(
      `${question}? [y]es, [s]kip with a reason, [q]uit and continue later: `,
    );
    if (isYes(answer)) return 'go';
    return /^s(?:kip)?$/i.test(answer.trim()) ? 'skip' : 'leave';
  }

  /**
   * Sends an order for the plan. If the backend rejects it, prints a warning and returns the current plan, because the
   * plan may have changed meanwhile.
   *
   * @throws MonError when this session does not own the plan, or for an error other than `invalid` and `conflict`
   */
  async #order(plan: PlanRun, order: PlanOrder): Promise<PlanRun> {
    try {
      return await this.#dependencies.client.order(plan.id, order);
    } catch (error) {
      if (!(error instanceof MonError) || !['invalid', 'conflict'].includes(error.code)) throw error;
      this.#call.output.warn(error.message);
      const now = await this.#read(plan.id);
      if (now.holder?.session !== this.#dependencies.session) throw error;
      return now;
    }
  }

  /** Waits until no step is running, and prints the log meanwhile. While the backend restarts, it waits too. */
  async #waitForRunningStep(plan: PlanRun): Promise<PlanRun> {
    let current = plan;
    this.#printLog(current);
    while (current.state === 'open' && currentStep(current)?.state === 'running') {
      await waitFor(this.#call.clock, PLAN_CHECK_MS);
      current = await this.#read(plan.id);
      this.#printLog(current);
    }
    return current;
  }

  async #read(id: number): Promise<PlanRun> {
    const warnOfTrouble = createTroubleReporter(this.#call.output);
    for (;;) {
      try {
        const plan = await this.#dependencies.client.plan(id);
        if (plan === undefined) throw new MonError('not_found', `there is no upgrade plan ${String(id)}`);
        return plan;
      } catch (error) {
        if (!(error instanceof MonError) || error.code !== 'unavailable') throw error;
        warnOfTrouble(error.message);
        await waitFor(this.#call.clock, PLAN_CHECK_MS);
      }
    }
  }

  /** Prints a step on standard error, because the user must see it in every output format. */
  #announce(plan: PlanRun, step: PlanRunStep): void {
    const { details, commands = [], note, state } = step;
    const number = `step ${String(plan.steps.indexOf(step) + 1)} of ${String(plan.steps.length)}`;
    this.#call.output.warn(
      [
        '',
        `${number}: ${step.title}`,
        ...details,
        ...commands.map((command) => `    ${command}`),
        ...(state === 'failed' || (state === 'confirm' && note !== '') ? [`not done: ${note}`] : []),
      ].join('\n'),
    );
  }

  #printLog(plan: PlanRun): void {
    for (const { step, text } of this.#log.next(plan)) {
      this.#call.output.warn(`  ${step === null ? '' : `${step}: `}${text}`);
    }
  }
}
