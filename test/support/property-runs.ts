/** Set by `npm run soak -- properties --rounds N`: the factor for the number of examples of properties. */
const TIMES = Number(process.env['PROPERTY_ROUNDS'] ?? 1);

/** Returns the number of examples of a property: `short` in the suite, a multiple in the long form. */
export function propertyRuns(short: number): number {
  return short * TIMES;
}
