import type { Store, StoreOp } from '../../ports.ts';

/** The functions that shift the times in one kind of stored objects after a clock correction or a downtime. */
export interface ShiftedTable {
  readonly prefix: string;
  /**
   * Returns the text of a stored object with its times shifted by `byMs`; undefined if no time in the object is to be
   * shifted. Absent if that is so for all objects of this kind.
   */
  readonly shiftTimes?: (text: string, byMs: number) => string | undefined;
  /**
   * Returns the text of a stored object whose durations are extended by `forMs`, a time in which no backend ran.
   * Undefined if that time is part of its durations; absent if that is so for all objects of this kind.
   */
  readonly extendDurations?: (text: string, forMs: number) => string | undefined;
}

/** The amounts by which times are shifted. */
interface TimeShifts {
  /** Correction of the clock in seconds. */
  readonly seconds: number;
  /** Milliseconds during which no backend ran. */
  readonly outageMs: number;
}

/**
 * Returns the writes that shift the ends of durations, so that a clock correction neither shortens nor extends them.
 * They also extend durations that pass only while a backend runs. Times of clients and results are not shifted: their
 * records contain the number of clock corrections before they were written.
 */
export async function shiftedTimes(
  store: Pick<Store, 'scan'>,
  tables: readonly ShiftedTable[],
  { seconds, outageMs }: TimeShifts,
): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for (const { prefix, shiftTimes: shifted, extendDurations: waited } of tables) {
    const moves = [
      ...(seconds !== 0 && shifted !== undefined ? [(text: string) => shifted(text, seconds * 1000)] : []),
      ...(outageMs > 0 && waited !== undefined ? [(text: string) => waited(text, outageMs)] : []),
    ];
    if (moves.length === 0) continue;
    for await (const [key, text] of store.scan([prefix])) {
      const value = moves.reduce((moved, move) => move(moved) ?? moved, text);
      if (value !== text) ops.push({ type: 'put', key, value });
    }
  }
  return ops;
}
