import type { InhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import type { InhibitionRow } from '../../../../shared/schemas/inhibition.ts';
import { TimeSlice } from '../../store/time-slice.ts';
import type { Namespace } from '../../model/registry/namespace.ts';
import { inhibitorsOf } from '../../model/notify/inhibitions/state.ts';

/** Maximum number of inhibitors that are listed for one rule. */
const LISTED_INHIBITORS_MAX = 100;
/** Number of inhibitors that are counted between two checks whether to yield to other work. */
const INHIBITORS_PER_STEP = 64;

type ListedRule = Pick<InhibitionRule, 'name' | 'fingerprint' | 'equal'> & {
  readonly [search in 'source' | 'target']: Pick<InhibitionRule[search], 'text'>;
};

/**
 * Returns the row that shows an inhibition rule with its current inhibitors.
 *
 * @param namespaces the namespaces whose inhibitors and inhibited events are counted
 */
export function inhibitionRow(rule: ListedRule, namespaces: readonly Namespace[]): InhibitionRow {
  const steps = buildRowInSteps(rule, namespaces);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Returns the rows that show inhibition rules with their current inhibitors. It yields to other work in between, so the
 * rows may contain only a part of a change that is committed meanwhile.
 */
export async function inhibitionRows(
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
 * Builds the row of an inhibition rule in steps. It yields after every 64 inhibitors, and returns the row at the end.
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
