import { expect, test } from 'vitest';
import { aggregateNames, isResultStale } from '../../../shared/domain/aggregate.ts';

test.each<{ name: string; result: object; expected: readonly string[] }>([
  { name: 'a result without the attributes belongs to no aggregate', result: {}, expected: [] },
  { name: 'aggregate names one aggregate', result: { aggregate: 'web' }, expected: ['web'] },
  { name: 'aggregate: true names the aggregate after the check', result: { aggregate: true }, expected: ['disk'] },
  { name: 'aggregate: false names no aggregate', result: { aggregate: false }, expected: [] },
  { name: 'aggregates names several aggregates', result: { aggregates: ['web', 'db'] }, expected: ['web', 'db'] },
  {
    name: 'aggregates takes precedence over aggregate',
    result: { aggregates: ['web'], aggregate: 'db' },
    expected: ['web'],
  },
  {
    name: 'an empty list of aggregates takes precedence over aggregate',
    result: { aggregates: [], aggregate: 'db' },
    expected: [],
  },
  { name: 'aggregates: null counts as absent', result: { aggregates: null, aggregate: 'db' }, expected: ['db'] },
  { name: 'a name that is listed twice counts once', result: { aggregates: ['web', 'web'] }, expected: ['web'] },
  { name: 'a name may contain colons and vertical bars', result: { aggregate: 'a:b|c.d-e' }, expected: ['a:b|c.d-e'] },
  { name: 'invalid names in a list are ignored', result: { aggregates: ['a b', '', 7, null, 'ok'] }, expected: ['ok'] },
  { name: 'a name of the wrong type is ignored', result: { aggregate: 7 }, expected: [] },
])('the aggregates of a result follow its attributes: $name', ({ result, expected }) => {
  expect(aggregateNames({ name: 'disk', ...result })).toEqual(expected);
});

test.each([
  { name: 'no result is stale without a maximum age', executed: 0, maxAge: undefined, expected: false },
  { name: 'a result exactly as old as the maximum age is not stale', executed: 970, maxAge: 30, expected: false },
  { name: 'a result one second older than the maximum age is stale', executed: 969, maxAge: 30, expected: true },
  { name: 'a result of the current second is never stale', executed: 1000, maxAge: 0, expected: false },
])('the staleness of a result follows its age: $name', ({ executed, maxAge, expected }) => {
  expect(isResultStale(executed, maxAge, 1000)).toBe(expected);
});
