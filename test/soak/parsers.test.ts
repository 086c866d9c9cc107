/** @module-tag slow */
import { expect, test } from 'vitest';
import { RandomChoices } from './random-choices.ts';
import { LANGUAGES, subjectOf, type Language } from './languages.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

/** Default number of rounds. The long form has 200 rounds, which are a million texts per language. */
const ROUNDS = 0.3;
const TEXTS_PER_ROUND = 5000;

/** Maximum length in characters of a text that repeats a token or nests delimiters. */
const LENGTH_MAX = 4096;
const PIECES_MAX = 30;

const CPU_MS_MAX = 10;
/** Elapsed milliseconds up to which the CPU time of a run is not measured. */
const SOON_MS = 1;
/** Number of measurements of a slow run, because a single one may include compilation or garbage collection. */
const MEASUREMENTS = 8;

/** Generates texts of a language, from valid to random ones. */
class Writer {
  readonly #random: RandomChoices;
  readonly #language: Language;

  constructor(random: RandomChoices, language: Language) {
    this.#random = random;
    this.#language = language;
  }

  text(): string {
    const random = this.#random;
    switch (random.below(10)) {
      case 0: {
        const repeated = this.#joined(3);
        return repeated.repeat(1 + random.below(LENGTH_MAX / (repeated.length + 1)));
      }
      case 1: {
        const [open, close] = random.pick(this.#language.brackets);
        const depth = 1 + random.below(random.pick([4, 40, LENGTH_MAX / (open.length + close.length)]));
        return open.repeat(depth) + this.#joined(2) + close.repeat(depth - random.below(2));
      }
      case 2:
        return Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(0x1_0000))).join('');
      case 3:
        return this.#mutate(this.#joined(PIECES_MAX));
      case 4:
        return this.#mutate(this.#sentence());
      case 5:
      case 6:
        return this.#sentence();
      default:
        return this.#joined(PIECES_MAX);
    }
  }

  #sentence(): string {
    return this.#language.slots.map((slot) => this.#oneOf(slot)).join('');
  }

  #joined(most: number): string {
    const count = 1 + this.#random.below(this.#random.pick([2, 6, most]));
    return Array.from({ length: count }, () => this.#oneOf(this.#language.pieces)).join('');
  }

  #oneOf(texts: readonly string[]): string {
    return texts[this.#random.below(texts.length)] ?? '';
  }

  #mutate(text: string): string {
    const at = this.#random.below(text.length);
    const inserted = String.fromCharCode(this.#random.below(this.#random.pick([0x80, 0x1_0000])));
    return text.slice(0, at) + inserted + text.slice(at + this.#random.below(2));
  }
}

/** Runs the task several times, and returns the lowest CPU time of this thread in milliseconds. */
function cpuMs(task: () => void): number {
  let best = Infinity;
  for (let measured = 0; measured < MEASUREMENTS; measured++) {
    const before = process.threadCpuUsage();
    task();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

test.each(LANGUAGES)(
  'any text in the language of $name is parsed and executed quickly and without a crash',
  (language) => {
    const random = new RandomChoices(seed());
    const writer = new Writer(random, language);
    const texts = rounds(ROUNDS) * TEXTS_PER_ROUND;
    let understood = 0;
    let slowestMs = SOON_MS;
    for (let count = 0; count < texts; count++) {
      const text = writer.text();
      const subject = subjectOf(random, () => writer.text());
      let isUnderstood = false;
      const carryOut = (): void => void (isUnderstood = language.parseAndEvaluate(text, subject));
      try {
        const startMs = performance.now();
        carryOut();
        // The elapsed time bounds the CPU time, so fast runs need no further measurement.
        if (performance.now() - startMs > slowestMs) slowestMs = Math.max(slowestMs, cpuMs(carryOut));
        if (slowestMs > CPU_MS_MAX) throw new Error(`it takes ${String(slowestMs)} ms`);
      } catch (error) {
        throw new Error(`${JSON.stringify(text)} about ${JSON.stringify(subject)}`, { cause: error });
      }
      if (isUnderstood) understood += 1;
    }
    console.log(
      `${language.name}: ${String(texts)} texts, ${String(understood)} understood, at most ${slowestMs.toFixed(1)} ms`,
    );
    // The test would prove nothing if nearly all texts were invalid.
    expect(understood).toBeGreaterThan(texts / 50);
  },
  roundsTimeoutMs(ROUNDS, 5000),
);
