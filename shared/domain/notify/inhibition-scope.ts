import type { InhibitionRow } from '../../schemas/inhibition.ts';

/**
 * Restricts an inhibition rule, as the API returns it, to the inhibitors in some namespaces. Its number of inhibited
 * events then counts only those that these inhibitors inhibit. The API lists at most 100 inhibitors of a rule, so the
 * number may be too low.
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
