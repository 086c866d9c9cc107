import type { Event } from '../../schemas/event.ts';
import type { InhibitionOutlook } from '../../schemas/explain.ts';
import { isInhibitor, type InhibitionRule } from './rule.ts';

/**
 * What becomes of the events that one event keeps quiet, or would.
 *
 * @param event as it would be left open; `same`: as it is now; undefined: there would be none
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
