/** Separator between the parts of the name of a check that belongs to a family (prometheus 1.6). */
export const FAMILY_SIGN = '..';

/**
 * Returns the families of a check, the nearest first: `A..B` and `A` for `A..B..C` (prometheus 1.6). Nearly every check
 * has none.
 */
export function familiesOf(check: string): readonly string[] {
  let at = check.lastIndexOf(FAMILY_SIGN);
  if (at <= 0) return NONE;
  const families: string[] = [];
  while (at > 0) {
    families.push(check.slice(0, at));
    at = check.lastIndexOf(FAMILY_SIGN, at - FAMILY_SIGN.length);
  }
  return families;
}

const NONE: readonly string[] = [];
