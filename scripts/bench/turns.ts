import type { BenchSizes } from './bench-sizes.ts';
import { runParts } from './run-parts.ts';
import { beside } from './turns/beside.ts';
import { consoles } from './turns/console.ts';
import { reportMedians, Side, type Sides } from './turns/figures.ts';
import { underLoad } from './turns/load.ts';
import { start } from './turns/start.ts';

/**
 * The programs of another clone and of this one, each part of the load on one and then on the other: the speed of a machine
 * changes from minute to minute, what is measured in turns changes with it. Medians of all turns, the other clone first. Without
 * another one this one stands beside itself: so much do the figures vary by themselves.
 */
export async function run(seconds: number, { other, parts, results }: BenchSizes): Promise<void> {
  const compared = (measure: (sides: Sides) => Promise<void>) => async (): Promise<void> => {
    const sides: Sides = [new Side(other), new Side(undefined)];
    await measure(sides);
    reportMedians(sides);
  };
  await runParts(
    {
      load: compared((sides) => underLoad(sides, seconds)),
      beside: compared((sides) => beside(sides, seconds)),
      start: compared((sides) => start(sides, results)),
      console: compared(consoles),
    },
    parts,
  );
}
