import type { InhibitionRow } from '../../schemas/inhibition.ts';

/**
 * Restricts the API row of an inhibition rule to the inhibitors in some namespaces. The number of inhibited events is
 * then the sum over these inhibitors. The number may be too low, because the row lists at most 100 inhibitors.
 *
 * @param isInNamespaces callback that returns true if an inhibitor is in one of these namespaces
 */
export function limitRuleToNamespaces(
  rule: InhibitionRow,
  isInNamespaces: (inhibitor: InhibitionRow['inhibitors'][number]) => boolean,
): InhibitionRow {
  const inhibitors = rule.inhibitors.filter(isInNamespaces);
  if (inhibitors.length === rule.inhibitors.length) return rule;
  return { ...rule, inhibitors, inhibited: inhibitors.reduce((sum, { inhibited = 0 }) => sum + inhibited, 0) };
}
