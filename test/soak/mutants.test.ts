/** @module-tag slow */
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { hasTest, placesOf, TreeCopy } from './mutants/copy.ts';
import { MUTANTS } from './mutants/all.ts';
import type { Mutant } from './mutants/mutant.ts';
import { rounds } from './rounds.ts';

/**
 * Selects the mutants to run: a substring of their defence or file, or a range of their numbers such as `1-60`.
 * Default: all.
 */
const ONLY = process.env['SOAK_ONLY'] ?? '';
const IS_LONG = process.env['SOAK_ROUNDS'] !== undefined;
const SELECTED = selectMutants(ONLY).slice(0, rounds(0));
/** Maximum duration of one mutant: its test runs with and without the defence. */
const MUTANT_MS_MAX = 5 * 60_000;

test('each mutant names a different defense', () => {
  expect(new Set(MUTANTS.map(({ defence }) => defence)).size).toBe(MUTANTS.length);
});

test.each(MUTANTS)('the code of the defense occurs once and its test exists: $defence', async (mutant) => {
  expect(await placesOf(mutant)).toBe(1);
  expect(mutant.replacement).not.toBe(mutant.text);
  expect(await hasTest(mutant)).toBe(true);
});

test.runIf(IS_LONG)(
  'the test of each defense fails when the defense is removed from the code',
  async () => {
    using copy = await TreeCopy.into(await tempDir());
    const survivors: string[] = [];
    const known = new Map<string, boolean>();
    for (const [at, mutant] of SELECTED.entries()) {
      // A test that fails with the defence in place proves nothing about the mutant.
      const target = `${mutant.test} ${mutant.title ?? ''}`;
      const isGood = known.get(target) ?? isPassed(await copy.verdict(mutant));
      known.set(target, isGood);
      const { failed } = isGood ? await copy.without(mutant) : { failed: 0 };
      const outcome = isGood ? (failed > 0 ? 'found' : 'SURVIVED') : 'NO TEST THAT PASSES';
      console.log(`${String(at + 1).padStart(3)}/${String(SELECTED.length)} ${outcome.padEnd(10)} ${mutant.defence}`);
      if (outcome !== 'found') survivors.push(`${mutant.defence} (${mutant.test})`);
    }
    expect(survivors).toEqual([]);
  },
  60_000 + MUTANTS.length * MUTANT_MS_MAX,
);

function selectMutants(only: string): readonly Mutant[] {
  const range = /^(?<first>\d+)-(?<last>\d+)$/.exec(only)?.groups;
  if (range !== undefined) return MUTANTS.slice(Number(range['first']) - 1, Number(range['last']));
  return MUTANTS.filter(({ defence, file }) => `${defence} ${file}`.includes(only));
}

function isPassed({ passed, failed }: { readonly passed: number; readonly failed: number }): boolean {
  return failed === 0 && passed > 0;
}
