import { ruleVerdict, type RuleCounts } from '../../../shared/domain/aggregate-rule.ts';
import { aggregateNames, isResultStale } from '../../../shared/domain/aggregate.ts';
import type { AggregateRule } from '../../../shared/schemas/aggregate-rule.ts';
import type { RuleOutlook } from '../../../shared/schemas/explain.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { CheckAggregate, CheckEntry, Namespace } from '../model/registry/namespace.ts';
import { countsOf, rulesForAggregate, type RuleTimes, type RulesInForce } from './rules.ts';

/** A hypothetical result, whose effect on the verdicts of aggregate rules is predicted. */
interface AssumedResult {
  readonly client: string;
  readonly check: CheckResult;
  /** True if the event that exists after this result is silenced. */
  readonly isSilenced: boolean;
}

/** Predicts the verdicts of aggregate rules after one more result, and returns them with the current verdicts. */
export function predictRuleVerdicts(
  rules: ReturnType<RulesInForce>,
  namespace: Namespace,
  { client, check, isSilenced }: AssumedResult,
  moment: RuleTimes,
): RuleOutlook[] {
  const present = namespace.check(client, check.name);
  const joined = aggregateNames(check);
  const names = new Set([...(present?.aggregates ?? []).map(({ name }) => name), ...joined]);
  return [...names].flatMap((name) =>
    rulesForAggregate(rules, namespace.name, name).map(([rule, definition]) => {
      const aggregate = namespace.aggregates.get(name);
      const before = aggregate && countsOf(namespace, aggregate, definition, moment);
      const remaining = subtractCounts(
        before ?? ZERO_COUNTS,
        countedAs(namespace, aggregate, present, definition, moment),
      );
      const after = joined.includes(name) ? addResult(remaining, definition, check, isSilenced) : remaining;
      const { status, output: text } = ruleVerdict(definition, after);
      return {
        aggregate: name,
        check: rule,
        status,
        text,
        was: before ? ruleVerdict(definition, before).status : null,
      };
    }),
  );
}

const ZERO_COUNTS: RuleCounts = { fresh: 0, notOk: 0, stale: 0, ignored: 0 };

/** Returns how an aggregate rule counts a check now; undefined if the check is not a member of the aggregate. */
function countedAs(
  namespace: Namespace,
  aggregate: CheckAggregate | undefined,
  entry: CheckEntry | undefined,
  rule: AggregateRule,
  { nowMs, sinceMs }: RuleTimes,
): 'ignored' | 'stale' | 'ok' | 'notOk' | undefined {
  if (aggregate === undefined || entry === undefined || !aggregate.has(entry)) return undefined;
  if (rule['ignore-silenced'] && namespace.aggregates.silenced(aggregate, nowMs).has(entry)) return 'ignored';
  const executed = Math.max(entry.executed, Math.floor(sinceMs / 1000));
  if (isResultStale(executed, rule.stale?.after, Math.floor(nowMs / 1000))) return 'stale';
  return entry.status === 0 ? 'ok' : 'notOk';
}

function subtractCounts(counts: RuleCounts, part: ReturnType<typeof countedAs>): RuleCounts {
  const { fresh, notOk, stale, ignored } = counts;
  if (part === undefined) return counts;
  if (part === 'ignored') return { ...counts, ignored: ignored - 1 };
  if (part === 'stale') return { ...counts, stale: stale - 1 };
  return { ...counts, fresh: fresh - 1, notOk: part === 'notOk' ? notOk - 1 : notOk };
}

function addResult(counts: RuleCounts, rule: AggregateRule, { status }: CheckResult, isSilenced: boolean): RuleCounts {
  if (rule['ignore-silenced'] && isSilenced) return { ...counts, ignored: counts.ignored + 1 };
  return { ...counts, fresh: counts.fresh + 1, notOk: status === 0 ? counts.notOk : counts.notOk + 1 };
}
