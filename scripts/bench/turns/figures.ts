import { quantile, report } from '../report.ts';

/** One of the two clones that are measured in turns, and what was found of it, turn by turn. */
export class Side {
  /** Undefined: this one. */
  readonly clone: string | undefined;
  readonly #figures = new Map<string, { readonly unit: string; readonly values: number[] }>();

  constructor(clone: string | undefined) {
    this.clone = clone;
  }

  note(what: string, value: number, unit: string): void {
    const figure = this.#figures.get(what);
    if (figure === undefined) this.#figures.set(what, { unit, values: [value] });
    else figure.values.push(value);
  }

  /** Medians, by what they are of. */
  get medians(): ReadonlyMap<string, { readonly unit: string; readonly value: number }> {
    return new Map(
      [...this.#figures].map(([what, { unit, values }]) => [what, { unit, value: quantile(values, 0.5) }]),
    );
  }
}

/** The other clone first. */
export type Sides = readonly [before: Side, now: Side];

/** Each round begins with what the one before ended with. */
export async function inTurns<Subject>(
  rounds: number,
  subjects: readonly Subject[],
  parts: readonly ((subject: Subject) => Promise<void>)[],
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const part of parts) for (const subject of order) await part(subject);
  }
}

/** Both medians of each figure, and how much the later one is more. */
export function reportMedians([before, now]: Sides): void {
  const earlier = before.medians;
  for (const [what, { unit, value }] of now.medians) {
    const old = earlier.get(what)?.value ?? NaN;
    report(what, [old, value], unit, `${((value / old - 1) * 100).toFixed(1)} %`);
  }
}
