import { readBenchFile, type BenchRun, type MachineSpeed } from './bench-file.ts';
import { figureText, mean } from './report.ts';

/** Units in which a faster machine has more, and in which it has less; the others do not depend on its speed. */
const MORE = new Set(['/s']);
const LESS = new Set(['us', 'ms', 's', '%']);

export interface Comparison {
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** After by before, of each value. */
  readonly ratios: readonly number[];
  /** The same, had the machine been as fast the second time as it was the first. */
  readonly atEqualSpeed: readonly number[];
}

/** The figures that two runs of a bench have in common. */
export function compareRuns(before: BenchRun, after: BenchRun): readonly Comparison[] {
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

/** How much faster one core was in the second run. */
function speedRatio(before: BenchRun, after: BenchRun): number {
  return parses(after.speed) / parses(before.speed);
}

/** Of two files of `npm run bench -- all`. */
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
