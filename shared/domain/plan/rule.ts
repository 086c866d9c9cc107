import type { Finding, PlanStep, RuleVerdict, UpgradeFacts } from '../../schemas/plan.ts';
import type { UpgradePath } from './version.ts';

/** Phases of an upgrade, in order (reference 9.2). */
export const UPGRADE_PHASES = ['prepare', 'backup', 'stop', 'install', 'restart', 'migrate', 'verify'] as const;
export type UpgradePhase = (typeof UPGRADE_PHASES)[number];

export type PhasedStep = PlanStep & { readonly phase: UpgradePhase };

/** The finding of a rule, without the id and title of the rule. */
export type RuleFinding = Pick<Finding, 'verdict' | 'evidence' | 'remedy'>;

/** A rule of the upgrade check. There is one for each note in reference 9.3, and further ones by completion 1.19. */
export interface UpgradeRule {
  /** Identifies the rule. It starts with a version if the rule applies to upgrades across that version. */
  readonly id: string;
  readonly title: string;
  /** Whether the rule applies to this upgrade. */
  applies(path: UpgradePath, facts: UpgradeFacts): boolean;
  /** Evaluates the rule on the facts about the installation. */
  evaluate(facts: UpgradeFacts, path: UpgradePath): RuleFinding;
  /** Returns the steps that the rule adds to the plan of the upgrade. */
  steps(facts: UpgradeFacts, path: UpgradePath): readonly PhasedStep[];
}

export function passFinding(...evidence: readonly string[]): RuleFinding {
  return { verdict: 'pass', evidence, remedy: [] };
}

export function warnFinding(evidence: readonly string[], remedy: readonly string[]): RuleFinding {
  return { verdict: 'warn', evidence, remedy };
}

export function blockFinding(evidence: readonly string[], remedy: readonly string[]): RuleFinding {
  return { verdict: 'block', evidence, remedy };
}

const VERDICT_RANKS: Readonly<Record<RuleVerdict, number>> = { pass: 0, warn: 1, block: 2 };

/** Returns the worst of several verdicts; `pass` if there are none. */
export function worstOf(verdicts: readonly RuleVerdict[]): RuleVerdict {
  return verdicts.reduce((worst, verdict) => (VERDICT_RANKS[verdict] > VERDICT_RANKS[worst] ? verdict : worst), 'pass');
}

/** Combines findings into one with the worst verdict, and with the evidence and remedies of all. */
export function combineFindings(...judgements: readonly RuleFinding[]): RuleFinding {
  return {
    verdict: worstOf(judgements.map(({ verdict }) => verdict)),
    evidence: judgements.flatMap(({ evidence }) => evidence),
    remedy: judgements.flatMap(({ remedy }) => remedy),
  };
}

/** Maximum number of names that `namesText` shows. */
const SHOWN_NAMES_MAX = 10;

/** Formats up to ten names and the number of the others: `a, b, c and 7 more`. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES_MAX).join(', ');
  const more = names.length - SHOWN_NAMES_MAX;
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

/** Formats an age as hours with one decimal: `1.5 h`. */
export function hoursText(seconds: number): string {
  return `${(seconds / 3600).toFixed(1)} h`;
}
