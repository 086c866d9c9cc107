import { expect, test } from 'vitest';
import { aggregateNames, isResultStale } from '../../../shared/domain/aggregate.ts';

test.each<{ name: string; result: object; expected: readonly string[] }>([
  { name: 'a result that names none belongs to none', result: {}, expected: [] },
  { name: 'aggregate is a name', result: { aggregate: 'web' }, expected: ['web'] },
  { name: 'aggregate: true is the name of the check', result: { aggregate: true }, expected: ['disk'] },
  { name: 'aggregate: false is none', result: { aggregate: false }, expected: [] },
  { name: 'aggregates are names', result: { aggregates: ['web', 'db'] }, expected: ['web', 'db'] },
  { name: 'aggregates win over aggregate', result: { aggregates: ['web'], aggregate: 'db' }, expected: ['web'] },
  { name: 'aggregates win even when there are none', result: { aggregates: [], aggregate: 'db' }, expected: [] },
  { name: 'null aggregates are absent', result: { aggregates: null, aggregate: 'db' }, expected: ['db'] },
  { name: 'a name counts once', result: { aggregates: ['web', 'web'] }, expected: ['web'] },
  { name: 'colons and bars are part of a name', result: { aggregate: 'a:b|c.d-e' }, expected: ['a:b|c.d-e'] },
  { name: 'what cannot be a name is none', result: { aggregates: ['a b', '', 7, null, 'ok'] }, expected: ['ok'] },
  { name: 'a name of the wrong type is none', result: { aggregate: 7 }, expected: [] },
])('the aggregates of a result follow its attributes: $name', ({ result, expected }) => {
  expect(aggregateNames({ name: 'disk', ...result })).toEqual(expected);
});

test.each([
  { name: 'without a limit nothing is', executed: 0, maxAge: undefined, expected: false },
  { name: 'exactly at the limit it is not', executed: 970, maxAge: 30, expected: false },
  { name: 'a second past the limit it is', executed: 969, maxAge: 30, expected: true },
  { name: 'of this very second it is not, whatever the limit', executed: 1000, maxAge: 0, expected: false },
])('a result is stale: $name', ({ executed, maxAge, expected }) => {
  expect(isResultStale(executed, maxAge, 1000)).toBe(expected);
});
