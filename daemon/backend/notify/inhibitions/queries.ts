import type { InhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import type { InhibitionRow } from '../../../../shared/schemas/inhibition.ts';
import { TimeSlice } from '../../store/time-slice.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import { inhibitorsOf } from '../../model/notify/inhibitions/state.ts';

/** Maximum number of inhibitors that the API lists for one inhibition rule. */
const LISTED_INHIBITORS_MAX = 100;
/** Number of inhibitors that are counted in one step. Other work can run between two steps. */
const INHIBITORS_PER_STEP = 64;

type ListedRule = Pick<InhibitionRule, 'name' | 'fingerprint' | 'equal'> & {
  readonly [search in 'source' | 'target']: Pick<InhibitionRule[search], 'text'>;
};

/**
 * Returns the list row of an inhibition rule, with its current inhibitors and the number of events that they inhibit.
 *
 * @param namespaces the namespaces whose inhibitors and inhibited events are counted
 */
export function buildInhibitionRow(rule: ListedRule, namespaces: readonly Namespace[]): InhibitionRow {
  const steps = buildRowInSteps(rule, namespaces);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Returns a list row for each inhibition rule, with the current inhibitors of the rule. It yields to other work in
 * between. If a commit happens meanwhile, the rows may show only a part of its changes.
 */
export async function buildInhibitionRows(
  rules: readonly ListedRule[],
  namespaces: readonly Namespace[],
): Promise<InhibitionRow[]> {
  const timeSlice = new TimeSlice();
  const rows: InhibitionRow[] = [];
  for (const rule of rules) {
    const steps = buildRowInSteps(rule, namespaces);
    for (let step = steps.next(); ; step = steps.next()) {
      await timeSlice.share();
      if (step.done === true) {
        rows.push(step.value);
        break;
      }
    }
  }
  return rows;
}

/**
 * Builds the list row of an inhibition rule in steps: yields after every 64 inhibitors, and returns the row at the end.
 */
function* buildRowInSteps(rule: ListedRule, namespaces: readonly Namespace[]): Generator<undefined, InhibitionRow> {
  const { name, source, target, equal } = rule;
  const inhibitors: InhibitionRow['inhibitors'] = [];
  let inhibitedCount = 0;
  let visitedCount = 0;
  for (const namespace of namespaces) {
    for (const inhibitor of inhibitorsOf(namespace).ofRule(rule)) {
      const inhibited = namespace.inhibited.eventsInhibitedBy(inhibitor).size;
      inhibitedCount += inhibited;
      const { client, check } = inhibitor;
      if (inhibitors.length < LISTED_INHIBITORS_MAX)
        inhibitors.push({ namespace: namespace.name, client, check, inhibited });
      if (++visitedCount % INHIBITORS_PER_STEP === 0) yield undefined;
    }
  }
  return { name, source: source.text, target: target.text, equal: [...equal], inhibited: inhibitedCount, inhibitors };
}
