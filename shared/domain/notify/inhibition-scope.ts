import type { InhibitionRow } from '../../schemas/inhibition.ts';

/**
 * Returns a rule limited to the inhibitors in some namespaces. The list of inhibitors may be truncated, so the number
 * of inhibited events is then a lower bound.
 *
 * @param isThere returns whether an inhibitor is in one of these namespaces
 */
export function inhibitionWithin(
  rule: InhibitionRow,
  isThere: (inhibitor: InhibitionRow['inhibitors'][number]) => boolean,
): InhibitionRow {
  const inhibitors = rule.inhibitors.filter(isThere);
  if (inhibitors.length === rule.inhibitors.length) return rule;
  return { ...rule, inhibitors, inhibited: inhibitors.reduce((sum, { inhibited = 0 }) => sum + inhibited, 0) };
}
