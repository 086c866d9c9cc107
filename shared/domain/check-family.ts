/** Separator in the names of checks that form a family: `A..B` belongs to the family `A` (prometheus 1.6). */
export const FAMILY_SIGN = '..';

/**
 * Returns the families of a check, the longest name first: `A..B` and `A` for `A..B..C` (prometheus 1.6). Most checks
 * have none.
 */
export function familiesOf(check: string): readonly string[] {
  let at = check.lastIndexOf(FAMILY_SIGN);
  if (at <= 0) return NO_FAMILIES;
  const families: string[] = [];
  while (at > 0) {
    families.push(check.slice(0, at));
    at = check.lastIndexOf(FAMILY_SIGN, at - FAMILY_SIGN.length);
  }
  return families;
}

const NO_FAMILIES: readonly string[] = [];
