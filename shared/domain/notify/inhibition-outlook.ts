import type { Event } from '../../schemas/event.ts';
import type { InhibitionOutlook } from '../../schemas/explain.ts';
import { isInhibitor, type InhibitionRule } from './inhibition-rule.ts';

/**
 * Predicts for each inhibition rule whether an event starts, continues or stops inhibiting other events. Rules under
 * which the event is an inhibitor neither now nor later are omitted.
 *
 * @param event the event after the change; `same` if the event does not change; undefined if no event is open after the
 * change
 * @param inhibitedCounts the number of events that the event inhibits now, by rule name, for each rule under which it
 * is an inhibitor now
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
