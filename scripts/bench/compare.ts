import { readBenchFile, type BenchRun, type MachineSpeed } from './bench-file.ts';
import { figureText, meanOf } from './report.ts';

/**
 * Units whose values are higher on a faster machine. The values of `LOWER_IS_FASTER` are lower on a faster machine;
 * values in other units do not depend on its speed.
 */
const HIGHER_IS_FASTER = new Set(['/s']);
const LOWER_IS_FASTER = new Set(['us', 'ms', 's', '%']);

export interface FigureComparison {
  readonly figure: string;
  readonly before: string;
  readonly after: string;
  /** The ratio after/before of each value. */
  readonly ratios: readonly number[];
  /** The same ratios, corrected for the different speed of the machine in the two runs. */
  readonly atEqualSpeed: readonly number[];
}

/** Compares the figures that two runs of a benchmark have in common. */
export function compareRuns(before: BenchRun, after: BenchRun): readonly FigureComparison[] {
  const faster = speedRatio(before, after);
  return after.figures.flatMap((figure) => {
    const { what: name, unit } = figure;
    const earlier = before.figures.find((one) => one.what === name && one.unit === unit);
    if (earlier === undefined) return [];
    const ratios = figure.values.map((value, at) => (value ?? NaN) / (earlier.values[at] ?? NaN));
    const scale = HIGHER_IS_FASTER.has(unit) ? 1 / faster : LOWER_IS_FASTER.has(unit) ? faster : 1;
    return {
      figure: name,
      before: figureText(earlier),
      after: figureText(figure),
      ratios,
      atEqualSpeed: ratios.map((ratio) => ratio * scale),
    };
  });
}

/** Returns the speed of one core in the second run, divided by its speed in the first run. */
function speedRatio(before: BenchRun, after: BenchRun): number {
  return meanParsesPerSecond(after.speed) / meanParsesPerSecond(before.speed);
}

/** Prints the comparison of two result files of `npm run bench -- all`. */
export async function printComparison(before: string, after: string): Promise<void> {
  const [earlier, later] = await Promise.all([readBenchFile(before), readBenchFile(after)]);
  for (const run of later.benches) {
    const base = earlier.benches.find(({ name }) => name === run.name);
    if (base === undefined) continue;
    console.log(
      `${run.name}, the machine at ${speedRatio(base, run).toFixed(2)} of its speed before: ratio, at equal speed`,
    );
    for (const { figure, before: one, after: other, ratios, atEqualSpeed } of compareRuns(base, run)) {
      console.log(
        `  ${figure.padEnd(76)} ${one.padStart(18)} ${other.padStart(18)}  ${ratiosText(ratios)}, ${ratiosText(atEqualSpeed)}`,
      );
    }
  }
}

function meanParsesPerSecond(speed: readonly MachineSpeed[]): number {
  return meanOf(speed.map(({ jsonParsesPerSecond }) => jsonParsesPerSecond));
}

function ratiosText(ratios: readonly number[]): string {
  return ratios.map((ratio) => ratio.toFixed(3)).join(' / ');
}
