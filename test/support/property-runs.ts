/** What `npm run soak -- properties --rounds N` sets: how many times as many examples properties try as in the suite. */
const TIMES = Number(process.env['PROPERTY_ROUNDS'] ?? 1);

/** How many examples a property tries: so many in the suite, a multiple in the long form. */
export function propertyRuns(short: number): number {
  return short * TIMES;
}
