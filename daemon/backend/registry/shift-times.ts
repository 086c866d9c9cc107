import type { Store, StoreOp } from '../ports.ts';

/** A kind of what is stored, as corrections of the clock ask it. */
export interface ShiftedTable {
  readonly prefix: string;
  /** One as it is stored, with its times moved; undefined: it has none that move. Absent: none of this kind has. */
  readonly shifted?: (text: string, byMs: number) => string | undefined;
}

/**
 * Moves what was promised for a span of time, so that a correction of the clock neither shortens nor lengthens it. Ages
 * of clients and results are not here: their records tell by which clock they were written.
 *
 * @param seconds by which the clock is corrected
 */
export async function shiftedTimes(
  store: Pick<Store, 'scan'>,
  tables: readonly ShiftedTable[],
  seconds: number,
): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for (const { prefix, shifted } of tables) {
    if (shifted === undefined) continue;
    for await (const [key, text] of store.scan([prefix])) {
      const value = shifted(text, seconds * 1000);
      if (value !== undefined) ops.push({ type: 'put', key, value });
    }
  }
  return ops;
}
