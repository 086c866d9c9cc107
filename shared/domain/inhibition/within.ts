import type { InhibitionRow } from '../../schemas/inhibition.ts';

/**
 * A rule with what it does in some namespaces. Of more events than a backend lists it is at least so much that is kept
 * quiet.
 *
 * @param isThere whether the event because of which others are quiet is in one of them
 */
export function inhibitionWithin(
  rule: InhibitionRow,
  isThere: (inhibitor: InhibitionRow['inhibitors'][number]) => boolean,
): InhibitionRow {
  const inhibitors = rule.inhibitors.filter(isThere);
  if (inhibitors.length === rule.inhibitors.length) return rule;
  return { ...rule, inhibitors, inhibited: inhibitors.reduce((sum, { inhibited = 0 }) => sum + inhibited, 0) };
}
