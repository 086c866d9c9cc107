import type { BenchSizes } from './bench-sizes.ts';
import { runParts } from './run-parts.ts';
import { listDuringResults } from './turns/beside.ts';
import { compareConsoles } from './turns/console.ts';
import { reportMedians, ComparedClone, type ComparedClones } from './turns/figures.ts';
import { compareUnderLoad } from './turns/load.ts';
import { compareStarts } from './turns/start.ts';

/**
 * Compares the programs of another repository clone with those of this clone. Each part of the load alternates between
 * the two, because the speed of a machine changes from minute to minute. The figures are medians over all rounds, the
 * other clone first. Without another clone, this clone is compared with itself, which shows the noise of the figures.
 */
export async function compareClones(seconds: number, { other, parts, results }: BenchSizes): Promise<void> {
  const compared = (measure: (sides: ComparedClones) => Promise<void>) => async (): Promise<void> => {
    const sides: ComparedClones = [new ComparedClone(other), new ComparedClone(undefined)];
    await measure(sides);
    reportMedians(sides);
  };
  await runParts(
    {
      load: compared((sides) => compareUnderLoad(sides, seconds)),
      lists: compared((sides) => listDuringResults(sides, seconds)),
      start: compared((sides) => compareStarts(sides, results)),
      console: compared(compareConsoles),
    },
    parts,
  );
}
