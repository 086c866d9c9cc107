import { readBenchFile, type BenchRun, type MachineSpeed } from './bench-file.ts';
import { figureText, mean } from './report.ts';

/**
 * Units that are higher on a faster machine, and units that are lower; other units do not depend on its speed.
 */
const MORE = new Set(['/s']);
const LESS = new Set(['us', 'ms', 's', '%']);

export interface FigureComparison {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** The ratio after/before of each value. */
  readonly ratios: readonly number[];
  /** The ratio of each value, corrected for the speed of the machine. */
  readonly atEqualSpeed: readonly number[];
}

/** Compares the figures that two runs of a benchmark have in common. */
export function compareRuns(before: BenchRun, after: BenchRun): readonly FigureComparison[] {
  const faster = speedRatio(before, after);
  return after.figures.flatMap((figure) => {
    const { what, unit } = figure;
    const earlier = before.figures.find((one) => one.what === what && one.unit === unit);
    if (earlier === undefined) return [];
    const ratios = figure.values.map((value, at) => (value ?? NaN) / (earlier.values[at] ?? NaN));
    const scale = MORE.has(unit) ? 1 / faster : LESS.has(unit) ? faster : 1;
    return {
      what,
      before: figureText(earlier),
      after: figureText(figure),
      ratios,
      atEqualSpeed: ratios.map((ratio) => ratio * scale),
    };
  });
}

/** Returns how much faster one core was in the second run. */
function speedRatio(before: BenchRun, after: BenchRun): number {
  return parses(after.speed) / parses(before.speed);
}

/** Prints the comparison of two files of `npm run bench -- all`. */
export async function printComparison(before: string, after: string): Promise<void> {
  const [earlier, later] = await Promise.all([readBenchFile(before), readBenchFile(after)]);
  for (const run of later.benches) {
    const base = earlier.benches.find(({ name }) => name === run.name);
    if (base === undefined) continue;
    console.log(
      `${run.name}, the machine at ${speedRatio(base, run).toFixed(2)} of its speed before: ratio, at equal speed`,
    );
    for (const { what, before: one, after: other, ratios, atEqualSpeed } of compareRuns(base, run)) {
      console.log(
        `  ${what.padEnd(76)} ${one.padStart(18)} ${other.padStart(18)}  ${text(ratios)}, ${text(atEqualSpeed)}`,
      );
    }
  }
}

function parses(speed: readonly MachineSpeed[]): number {
  return mean(speed.map(({ jsonParsesPerSecond }) => jsonParsesPerSecond));
}

function text(ratios: readonly number[]): string {
  return ratios.map((ratio) => ratio.toFixed(3)).join(' / ');
}
