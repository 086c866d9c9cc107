import type { Event } from '../../schemas/event.ts';
import type { InhibitionOutlook } from '../../schemas/explain.ts';
import { isInhibitor, type InhibitionRule } from './rule.ts';

/**
 * What becomes of the events that one event keeps quiet, or would.
 *
 * @param event as it would be left open; `same`: as it is now; undefined: there would be none
 * @param quieted how many events it keeps quiet now, by rule; a rule that is not there does not
 */
export function inhibitionOutlook(
  rules: readonly InhibitionRule[],
  namespace: string,
  event: Event | 'same' | undefined,
  quieted: ReadonlyMap<string, number>,
): InhibitionOutlook[] {
  return rules.flatMap((rule) => {
    const now = quieted.get(rule.name);
    const isAfter = event === 'same' ? now !== undefined : event !== undefined && isInhibitor(rule, namespace, event);
    if (now === undefined && !isAfter) return [];
    const change: InhibitionOutlook['change'] = now === undefined ? 'begins' : isAfter ? 'goes_on' : 'ends';
    return [{ rule: rule.name, change, quieted: now ?? 0, equal: [...rule.equal] }];
  });
}
