/** Factor for the number of examples of each property test; `npm run soak -- properties --rounds N` sets it to N. */
const TIMES = Number(process.env['PROPERTY_ROUNDS'] ?? 1);

/** Returns the number of examples of a property test: `short` in the suite, a multiple of it in a soak run. */
export function propertyRuns(short: number): number {
  return short * TIMES;
}
