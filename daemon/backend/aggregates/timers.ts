import { AGGREGATE_RULES_CLIENT } from '../../../shared/schemas/aggregate-rule.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { PlanningClock } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Results } from '../results/commands.ts';
import { removeRuleChecks, submitRuleResults, type GoneCheck, type RuleResult } from '../results/rule-checks.ts';
import { appliesToNamespace, openRuleWatch, rulesForNamespace, verdictOf, type RulesInForce } from './rules.ts';

/** Interval, in milliseconds, at which aggregate rules are evaluated. It does not depend on the number of results. */
const EVALUATION_INTERVAL_MS = 1000;

interface AggregateWatchDependencies {
  readonly rules: RulesInForce;
  readonly registry: Registry;
  readonly batcher: Batcher;
  readonly results: Pick<Results, 'submitBackendResult'>;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Returns true if results may be old only because the backend rejects them, or recently did. Rules are not evaluated
   * then.
   */
  readonly isAwaitingBacklog: () => boolean;
}

/**
 * Evaluates each rule about an aggregate, and submits the verdict as the result of a check: at once when the status
 * changes, otherwise at the interval of the rule. The result is removed when its rule or aggregate is removed (spec,
 * aggregates 2).
 */
export function watchAggregates(parts: AggregateWatchDependencies): Disposable {
  const { rules, registry, clock, log } = parts;
  const watch = registry.state(openRuleWatch);
  // The start time is derived from the steady clock, so that a clock that is set back does not move it into the future.
  const startedMs = clock.steady();
  const sinceMs = (watch.ownSinceMs = () => clock.now() - clock.steady() + startedMs);
  let isLooking = false;
  const looks = clock.every(EVALUATION_INTERVAL_MS, () => {
    if (isLooking || parts.isAwaitingBacklog()) return;
    const due = [...dueResults()];
    const gone = goneChecks();
    if (due.length === 0 && gone.length === 0) return;
    isLooking = true;
    void submitResults(due, gone)
      .catch((error: unknown) => {
        // The next evaluation tries again.
        log.warn({ reason: errorMessage(error) }, 'could not store the results of aggregate rules, retrying soon');
      })
      .finally(() => {
        isLooking = false;
      });
  });
  return {
    [Symbol.dispose]() {
      looks[Symbol.dispose]();
      // A backend that is no longer leader does not evaluate rules. If it became leader again in the meantime, a newer
      // watch has already set its own function, which must stay.
      if (watch.ownSinceMs === sinceMs) watch.ownSinceMs = undefined;
    },
  };

  function* dueResults(): Generator<RuleResult> {
    const moment = watch.momentAt(clock.now());
    const inForce = rules();
    for (const namespace of registry.namespaces()) {
      for (const named of rulesForNamespace(inForce, namespace.name)) {
        const [check, rule] = named;
        const aggregate = namespace.aggregates.get(rule.aggregate ?? check);
        if (aggregate === undefined) continue;
        const { status, text } = verdictOf(namespace, aggregate, named, moment);
        const last = namespace.check(AGGREGATE_RULES_CLIENT, check);
        const age = Math.floor(moment.nowMs / 1000) - (last?.executed ?? 0);
        if (last?.status === status && age < rule.interval) continue;
        const { interval, check: attributes } = rule;
        yield { namespace: namespace.name, check, status, output: text, interval, attributes };
      }
    }
  }

  /** Returns the checks whose rule was removed or whose aggregate no longer exists. */
  function goneChecks(): readonly GoneCheck[] {
    const inForce = rules();
    return [...registry.namespaces()].flatMap((namespace) => {
      const client = namespace.clients.get(AGGREGATE_RULES_CLIENT);
      const gone = [...(client?.checks.keys() ?? [])].filter((check) => {
        const rule = Object.hasOwn(inForce, check) ? inForce[check] : undefined;
        if (rule === undefined || !appliesToNamespace(rule, namespace.name)) return true;
        return namespace.aggregates.get(rule.aggregate ?? check) === undefined;
      });
      return gone.map((check) => [namespace.name, check] as const);
    });
  }

  async function submitResults(due: readonly RuleResult[], gone: readonly GoneCheck[]): Promise<void> {
    await submitRuleResults(parts.results, AGGREGATE_RULES_CLIENT, due);
    await removeRuleChecks(parts.batcher, AGGREGATE_RULES_CLIENT, gone);
  }
}
