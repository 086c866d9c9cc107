import type { Event } from '../../schemas/event.ts';
import type { InhibitionOutlook } from '../../schemas/explain.ts';
import { isInhibitor, type InhibitionRule } from './inhibition-rule.ts';

/**
 * Predicts the effect of a change of one event on other events: for each inhibition rule, whether the changed event
 * starts, continues or stops to inhibit others. Rules under which it inhibits nothing before and after the change are
 * omitted.
 *
 * @param event the event after the change; `same`: it does not change; undefined: no event is open after the change
 * @param inhibitedCounts the number of events that the event inhibits now, by rule name; it has no entry for a rule by
 * which the event is not an inhibitor now
 */
export function predictInhibitions(
  rules: readonly InhibitionRule[],
  namespace: string,
  event: Event | 'same' | undefined,
  inhibitedCounts: ReadonlyMap<string, number>,
): InhibitionOutlook[] {
  return rules.flatMap((rule) => {
    const inhibitedCount = inhibitedCounts.get(rule.name);
    const willInhibit =
      event === 'same' ? inhibitedCount !== undefined : event !== undefined && isInhibitor(rule, namespace, event);
    if (inhibitedCount === undefined && !willInhibit) return [];
    const change: InhibitionOutlook['change'] =
      inhibitedCount === undefined ? 'starts' : willInhibit ? 'continues' : 'stops';
    return [{ rule: rule.name, change, inhibited: inhibitedCount ?? 0, equal: [...rule.equal] }];
  });
}
