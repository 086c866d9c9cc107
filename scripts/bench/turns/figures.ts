import { quantileOf, reportFigure } from '../report.ts';

/** One of the two compared repository clones, with its figures from all rounds. */
export class ComparedClone {
  /** Path of the clone; `undefined` for this clone. */
  readonly clone: string | undefined;
  readonly #figures = new Map<string, { readonly unit: string; readonly values: number[] }>();

  constructor(clone: string | undefined) {
    this.clone = clone;
  }

  record(what: string, value: number, unit: string): void {
    const figure = this.#figures.get(what);
    if (figure === undefined) this.#figures.set(what, { unit, values: [value] });
    else figure.values.push(value);
  }

  /** The median of each figure, by the name of the figure. */
  get medians(): ReadonlyMap<string, { readonly unit: string; readonly value: number }> {
    return new Map(
      [...this.#figures].map(([what, { unit, values }]) => [what, { unit, value: quantileOf(values, 0.5) }]),
    );
  }
}

/** The two compared clones: `before` is the other clone, `now` is this clone. */
export type ComparedClones = readonly [before: ComparedClone, now: ComparedClone];

/** Runs each part for all subjects in alternation. Every second round has the reverse order of subjects. */
export async function runAlternately<Subject>(
  rounds: number,
  subjects: readonly Subject[],
  parts: readonly ((subject: Subject) => Promise<void>)[],
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const part of parts) for (const subject of order) await part(subject);
  }
}

/** Reports both medians of each figure, and by how many percent the median of this clone is higher. */
export function reportMedians([before, now]: ComparedClones): void {
  const earlier = before.medians;
  for (const [what, { unit, value }] of now.medians) {
    const old = earlier.get(what)?.value ?? NaN;
    reportFigure(what, [old, value], unit, `${((value / old - 1) * 100).toFixed(1)} %`);
  }
}
