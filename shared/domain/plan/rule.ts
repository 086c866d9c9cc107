import type { Finding, PlanStep, RuleVerdict, UpgradeFacts } from '../../schemas/plan.ts';
import type { UpgradePath } from './version.ts';

/** Where in the general procedure (reference 9.2) a step has its place. */
export const PHASES = ['prepare', 'backup', 'stop', 'install', 'restart', 'migrate', 'verify'] as const;
export type Phase = (typeof PHASES)[number];

export type PhasedStep = PlanStep & { readonly phase: Phase };

/** What a rule found, without the name of the rule. */
export type Judgement = Pick<Finding, 'verdict' | 'evidence' | 'remedy'>;

/** What an upgrade has to heed on its way: one entry per note of reference 9.3, and what completion 1.19 adds. */
export interface UpgradeRule {
  /** Names it; begins with the version where it has one. */
  readonly id: string;
  readonly title: string;
  /** Whether it is about this upgrade at all. */
  applies(path: UpgradePath, facts: UpgradeFacts): boolean;
  /** The automatic pre-check. */
  judge(facts: UpgradeFacts, path: UpgradePath): Judgement;
  /** What it adds to the general procedure. */
  steps(facts: UpgradeFacts, path: UpgradePath): readonly PhasedStep[];
}

export function pass(...evidence: readonly string[]): Judgement {
  return { verdict: 'pass', evidence, remedy: [] };
}

export function warn(evidence: readonly string[], remedy: readonly string[]): Judgement {
  return { verdict: 'warn', evidence, remedy };
}

export function block(evidence: readonly string[], remedy: readonly string[]): Judgement {
  return { verdict: 'block', evidence, remedy };
}

const RANK: Readonly<Record<RuleVerdict, number>> = { pass: 0, warn: 1, block: 2 };

/** The worst of some verdicts; `pass` of none. */
export function worstOf(verdicts: readonly RuleVerdict[]): RuleVerdict {
  return verdicts.reduce((worst, verdict) => (RANK[verdict] > RANK[worst] ? verdict : worst), 'pass');
}

/** Both at once: the evidence and the remedies of all, and the worst verdict. */
export function all(...judgements: readonly Judgement[]): Judgement {
  return {
    verdict: worstOf(judgements.map(({ verdict }) => verdict)),
    evidence: judgements.flatMap(({ evidence }) => evidence),
    remedy: judgements.flatMap(({ remedy }) => remedy),
  };
}

/** Most names in a line for people. */
const NAMES_MAX = 10;

/** `a, b, c and 7 more`. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

/** How old something is, in hours with one decimal. */
export function hoursText(seconds: number): string {
  return `${(seconds / 3600).toFixed(1)} h`;
}
