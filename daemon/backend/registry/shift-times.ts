import type { Store, StoreOp } from '../ports.ts';

/** A kind of what is stored, as corrections of the clock ask it. */
export interface ShiftedTable {
  readonly prefix: string;
  /** One as it is stored, with its times moved; undefined: it has none that move. Absent: none of this kind has. */
  readonly shifted?: (text: string, byMs: number) => string | undefined;
  /**
   * One as it is stored, with its spans longer by a time in which no backend ran; undefined: that time counts for it. Absent: it
   * does for all of this kind.
   */
  readonly waited?: (text: string, forMs: number) => string | undefined;
}

/** What moves times. */
interface Moves {
  /** Seconds by which the clock is corrected. */
  readonly seconds: number;
  /** How long no backend ran. */
  readonly awayMs: number;
}

/**
 * Moves what was promised for a span of time, so that a correction of the clock neither shortens nor lengthens it, and what
 * counts only while a backend runs. Ages of clients and results are not here: their records tell by which clock they were
 * written.
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
