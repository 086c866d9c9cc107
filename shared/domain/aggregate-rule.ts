import type { AggregateRule } from '../schemas/aggregate-rule.ts';
import { countWithNoun } from './count-text.ts';

/** Numbers of results in an aggregate (the results of a check over many clients), which its rule evaluates. */
export interface RuleCounts {
  /** Results that are neither stale nor ignored. */
  readonly fresh: number;
  /** Fresh results with a status other than OK. */
  readonly notOk: number;
  readonly stale: number;
  /** Results that are ignored because they are silenced. */
  readonly ignored: number;
}

type Threshold = AggregateRule['warning'];

/** Evaluates the rule of an aggregate and returns the status and output of its check (spec, aggregates 1). */
export function ruleVerdict(
  rule: Pick<AggregateRule, 'warning' | 'critical' | 'stale' | 'min-results'>,
  counts: RuleCounts,
): { readonly status: 0 | 1 | 2 | 3; readonly output: string } {
  const { fresh, notOk, stale, ignored } = counts;
  const ignoredText = ignored === 0 ? '' : `; ${String(ignored)} silenced ignored`;
  const resultsMin = rule['min-results'];
  if (resultsMin !== undefined && fresh < resultsMin) {
    return {
      status: 3,
      output: `${countWithNoun(fresh, 'result')}, at least ${String(resultsMin)} needed${ignoredText}`,
    };
  }
  const ofNotOk = statusOf(rule, notOk, fresh);
  const ofStale = rule.stale === undefined ? 0 : statusOf(rule.stale, stale, fresh + stale);
  const parts = [
    `${shareText(notOk, fresh)} not OK${limitsText(rule)}`,
    ...(rule.stale === undefined ? [] : [`${shareText(stale, fresh + stale)} stale${limitsText(rule.stale)}`]),
  ];
  return { status: ofNotOk > ofStale ? ofNotOk : ofStale, output: `${parts.join('; ')}${ignoredText}` };
}

/**
 * Returns the percentage of fresh results that must be OK for the rule to be OK; undefined if the rule has no such
 * threshold.
 *
 * @param fresh number of fresh results
 */
export function requiredOkPercent(
  { warning, critical }: Pick<AggregateRule, 'warning' | 'critical'>,
  fresh: number,
): number | undefined {
  const [first, second] = [warning, critical].flatMap((threshold) => sharesOf(threshold, fresh));
  if (first === undefined) return undefined;
  return Math.max(0, 100 - Math.min(first, second ?? first));
}

function sharesOf(threshold: Threshold, of: number): number[] {
  if (threshold === undefined) return [];
  if (typeof threshold === 'string') return [Number.parseFloat(threshold)];
  // A numeric threshold is reached at exactly that number of results. With one result fewer the rule is still OK.
  return of === 0 ? [] : [(Math.min(threshold - 1, of) / of) * 100];
}

function statusOf(
  { warning, critical }: { readonly warning?: Threshold; readonly critical?: Threshold },
  count: number,
  of: number,
): 0 | 1 | 2 {
  if (isThresholdReached(critical, count, of)) return 2;
  return isThresholdReached(warning, count, of) ? 1 : 0;
}

/** Whether a count reaches a threshold. A count of zero reaches no threshold, not even `0%` ("any result"). */
function isThresholdReached(threshold: Threshold, count: number, of: number): boolean {
  if (threshold === undefined || count === 0) return false;
  return typeof threshold === 'number' ? count >= threshold : count * 100 >= Number.parseFloat(threshold) * of;
}

/** Formats a share as `3 of 10 (30 %)`. */
function shareText(count: number, of: number): string {
  return of === 0 ? '0 of 0' : `${String(count)} of ${String(of)} (${String(Math.floor((count / of) * 100))} %)`;
}

function limitsText({ warning, critical }: { readonly warning?: Threshold; readonly critical?: Threshold }): string {
  const limits = [
    ...(warning === undefined ? [] : [`warning from ${String(warning)}`]),
    ...(critical === undefined ? [] : [`critical from ${String(critical)}`]),
  ];
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}
