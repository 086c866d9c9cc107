import type { Event } from '../../schemas/event.ts';
import type { InhibitionOutlook } from '../../schemas/explain.ts';
import { isInhibitor, type InhibitionRule } from './inhibition-rule.ts';

/**
 * Returns the effect of a change of one event on the events that it inhibits, or would inhibit.
 *
 * @param event the event after the change; `same`: it stays as it is; undefined: no event is left
 * @param inhibited the number of events that it inhibits now, by rule; a rule that inhibits none is absent
 */
export function inhibitionOutlook(
  rules: readonly InhibitionRule[],
  namespace: string,
  event: Event | 'same' | undefined,
  inhibited: ReadonlyMap<string, number>,
): InhibitionOutlook[] {
  return rules.flatMap((rule) => {
    const now = inhibited.get(rule.name);
    const isAfter = event === 'same' ? now !== undefined : event !== undefined && isInhibitor(rule, namespace, event);
    if (now === undefined && !isAfter) return [];
    const change: InhibitionOutlook['change'] = now === undefined ? 'starts' : isAfter ? 'continues' : 'stops';
    return [{ rule: rule.name, change, inhibited: now ?? 0, equal: [...rule.equal] }];
  });
}
