import { requiredOkPercent, ruleVerdict, type RuleCounts } from '../../../shared/domain/aggregate-rule.ts';
import { isResultStale } from '../../../shared/domain/aggregate.ts';
import type { AggregateRule } from '../../../shared/schemas/aggregate-rule.ts';
import { EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { AggregateRuleVerdict } from '../../../shared/schemas/aggregate.ts';
import type { CheckAggregate, Namespace } from '../model/registry/namespace.ts';

/**
 * Returns the current aggregate rules, keyed by the name of their check. It is called for each use, because a
 * configuration reload can change them.
 */
export type RulesInForce = () => Readonly<Record<string, AggregateRule>>;

/** The times from which an aggregate rule derives whether a result is stale. */
export interface RuleTimes {
  readonly nowMs: number;
  /**
   * Epoch milliseconds since which results could arrive. The age of an earlier result counts from this time, so that it
   * is not stale only because no backend ran.
   */
  readonly sinceMs: number;
}

/** Records the time since which aggregate rules are evaluated, by this backend or by another backend of the cluster. */
class RuleWatch {
  /** Returns the epoch milliseconds since which this backend evaluates the rules; undefined if it does not. */
  ownSinceMs: (() => number) | undefined;
  /** Returns the epoch milliseconds since which another backend evaluates the rules; 0 if unknown. */
  otherSinceMs = (): number => 0;

  /** Returns the times from which a rule derives whether a result is stale, both for its evaluation and for display. */
  momentAt(nowMs: number): RuleTimes {
    return { nowMs, sinceMs: (this.ownSinceMs ?? this.otherSinceMs)() };
  }
}

export const openRuleWatch = (): RuleWatch => new RuleWatch();

/** Returns the current verdict of a rule about its aggregate: the status and the text for its check. */
export function verdictOf(
  namespace: Namespace,
  aggregate: CheckAggregate,
  [check, rule]: readonly [check: string, rule: AggregateRule],
  moment: RuleTimes,
): AggregateRuleVerdict & { readonly status: 0 | 1 | 2 | 3 } {
  const counts = countsOf(namespace, aggregate, rule, moment);
  const { status, output: text } = ruleVerdict(rule, counts);
  const needs = requiredOkPercent(rule, counts.fresh);
  return { check, status, text, ...(needs !== undefined && { needs }) };
}

/** Returns the rules that apply to aggregates of a namespace, each with the name of its check. */
export function rulesForNamespace(
  rules: Readonly<Record<string, AggregateRule>>,
  namespace: string,
): (readonly [check: string, rule: AggregateRule])[] {
  return Object.entries(rules).filter(([, rule]) => appliesToNamespace(rule, namespace));
}

/** Returns the rules that apply to one aggregate, each with the name of its check. */
export function rulesForAggregate(
  rules: Readonly<Record<string, AggregateRule>>,
  namespace: string,
  aggregate: string,
): (readonly [check: string, rule: AggregateRule])[] {
  return rulesForNamespace(rules, namespace).filter(([check, rule]) => (rule.aggregate ?? check) === aggregate);
}

/** True if a rule applies to aggregates of a namespace. */
export function appliesToNamespace(rule: Pick<AggregateRule, 'namespace'>, namespace: string): boolean {
  return rule.namespace === namespace || rule.namespace === EVERY_NAMESPACE;
}

/**
 * Counts the results of an aggregate for a rule. If the rule has no limit for stale results, the counters of the
 * aggregate suffice, and only silenced members are examined. Otherwise all members are examined.
 */
export function countsOf(
  namespace: Namespace,
  aggregate: CheckAggregate,
  rule: AggregateRule,
  { nowMs, sinceMs }: RuleTimes,
): RuleCounts {
  const silenced = rule['ignore-silenced'] ? namespace.aggregates.silenced(aggregate, nowMs) : undefined;
  if (rule.stale === undefined) {
    const { counts, size } = aggregate;
    const ignored = silenced?.size ?? 0;
    let notOk = size - counts.ok;
    for (const { status } of silenced ?? []) if (status !== 0) notOk--;
    return { fresh: size - ignored, notOk, stale: 0, ignored };
  }
  const now = Math.floor(nowMs / 1000);
  const since = Math.floor(sinceMs / 1000);
  const tally = { fresh: 0, notOk: 0, stale: 0, ignored: 0 };
  for (const member of aggregate.members()) {
    if (silenced?.has(member) === true) tally.ignored++;
    else if (isResultStale(Math.max(member.executed, since), rule.stale.after, now)) tally.stale++;
    else {
      tally.fresh++;
      if (member.status !== 0) tally.notOk++;
    }
  }
  return tally;
}
