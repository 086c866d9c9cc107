/** How long a soak test goes on: `npm run soak -- NAME --rounds N` sets it, the suite runs a short form. */
export function rounds(short: number): number {
  return Number(process.env['SOAK_ROUNDS'] ?? short);
}

/** Time for so many rounds, with the start of the processes. */
export function roundsTimeoutMs(short: number, msPerRound: number): number {
  return 30_000 + rounds(short) * msPerRound;
}
