import { expect, test } from 'vitest';
import { UnsavedResults } from '../../../daemon/agent/unsaved-results.ts';

const textOf = (name: string, more: object = {}): string => JSON.stringify({ name, output: '', status: 0, ...more });
const LENGTH = textOf('a').length;

function namesIn(results: UnsavedResults): string[] {
  return Array.from(results.after(0), ({ text }) => (JSON.parse(text) as { readonly name: string }).name);
}

test('an exceeded budget drops the oldest superseded result, or else the oldest of all', async () => {
  const results = new UnsavedResults(3 * LENGTH);
  for (const [at, name] of ['a', 'b', 'b'].entries()) results.add(at + 1, textOf(name));
  const [first, second] = [results.safe(1), results.safe(2)];
  results.add(4, textOf('c'));
  expect(namesIn(results)).toEqual(['a', 'b', 'c']);
  expect(await second).toBe(false);
  results.add(5, textOf('d'));
  expect(namesIn(results)).toEqual(['b', 'c', 'd']);
  expect([await first, results.dropped]).toEqual([false, 2]);
});

test('the newest result stays in memory, however large it is', () => {
  const results = new UnsavedResults(1);
  results.add(1, textOf('a'));
  results.add(2, textOf('b'));
  expect([namesIn(results), results.dropped]).toEqual([['b'], 1]);
});

test('results with one check name but two sources do not supersede each other', () => {
  const results = new UnsavedResults(1000);
  results.add(1, textOf('a', { source: 'switch-1' }));
  expect(results.hasSuperseded(textOf('a', { source: 'switch-1' }))).toBe(true);
  expect(results.hasSuperseded(textOf('a', { source: 'switch-2' }))).toBe(false);
  expect(results.hasSuperseded(textOf('a'))).toBe(false);
});

test('an agent knows for at most ten thousand checks whether their results are superseded', () => {
  const results = new UnsavedResults(Infinity);
  for (let id = 1; id <= 10_001; id++) results.add(id, textOf(`n${String(id)}`));
  expect(results.hasSuperseded(textOf('n10000'))).toBe(true);
  expect(results.hasSuperseded(textOf('n10001'))).toBe(false);
  results.clearKeys();
  expect(results.hasSuperseded(textOf('n1'))).toBe(false);
});

test('a result counts as safe once it is written to disk or acknowledged', async () => {
  const results = new UnsavedResults(1000);
  results.add(1, textOf('a'));
  results.add(2, textOf('b'));
  const [first, second] = [results.safe(1), results.safe(2)];
  results.acknowledge(1);
  results.takeSaved();
  expect(await Promise.all([first, second, results.safe(3)])).toEqual([true, true, true]);
});
