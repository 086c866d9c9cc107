import type { Store, StoreOp } from '../../ports.ts';

/** A kind of stored objects whose times may be shifted by clock corrections. */
export interface ShiftedTable {
  readonly prefix: string;
  /**
   * Returns a stored object with its times shifted; undefined: it has no such times. Absent: no object of this kind
   * has.
   */
  readonly shifted?: (text: string, byMs: number) => string | undefined;
  /**
   * Returns a stored object with its durations extended by a time in which no backend ran; undefined: that time counts
   * for it. Absent: it counts for all objects of this kind.
   */
  readonly waited?: (text: string, forMs: number) => string | undefined;
}

/** The amounts by which times are shifted. */
interface Moves {
  /** Seconds by which the clock is corrected. */
  readonly seconds: number;
  /** Milliseconds in which no backend ran. */
  readonly awayMs: number;
}

/**
 * Shifts the ends of durations, so that a clock correction neither shortens nor extends them, and extends durations
 * that count only while a backend runs. Ages of clients and results are not included: their records say by which clock
 * they were written.
 */
export async function shiftedTimes(
  store: Pick<Store, 'scan'>,
  tables: readonly ShiftedTable[],
  { seconds, awayMs }: Moves,
): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for (const { prefix, shifted, waited } of tables) {
    const moves = [
      ...(seconds !== 0 && shifted !== undefined ? [(text: string) => shifted(text, seconds * 1000)] : []),
      ...(awayMs > 0 && waited !== undefined ? [(text: string) => waited(text, awayMs)] : []),
    ];
    if (moves.length === 0) continue;
    for await (const [key, text] of store.scan([prefix])) {
      const value = moves.reduce((moved, move) => move(moved) ?? moved, text);
      if (value !== text) ops.push({ type: 'put', key, value });
    }
  }
  return ops;
}
