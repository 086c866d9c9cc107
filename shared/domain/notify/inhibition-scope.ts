import type { InhibitionRow } from '../../schemas/inhibition.ts';

/**
 * Returns an inhibition rule of the API with only the inhibitors in some namespaces, and the number of events that
 * these inhibit. The API lists at most 100 inhibitors of a rule, so the number may be too low.
 *
 * @param isInNamespaces returns true if an inhibitor is in one of these namespaces
 */
export function limitRuleToNamespaces(
  rule: InhibitionRow,
  isInNamespaces: (inhibitor: InhibitionRow['inhibitors'][number]) => boolean,
): InhibitionRow {
  const inhibitors = rule.inhibitors.filter(isInNamespaces);
  if (inhibitors.length === rule.inhibitors.length) return rule;
  return { ...rule, inhibitors, inhibited: inhibitors.reduce((sum, { inhibited = 0 }) => sum + inhibited, 0) };
}
