import { expect, test } from 'vitest';
import { resultWithSource } from '../../../shared/domain/submitted-result.ts';

const CHECK = { name: 'disk', output: 'full', status: 2 };
const OF_E1 = { ...CHECK, source: 'e1' };

test.each<{ name: string; submitted: unknown; expected: unknown }>([
  { name: 'a check beside its client', submitted: { client: { name: 'e1', x: 1 }, check: CHECK }, expected: OF_E1 },
  { name: 'a check beside the name of its client', submitted: { client: 'e1', check: CHECK }, expected: OF_E1 },
  { name: 'a flat result with its client', submitted: { ...CHECK, client: { name: 'e1' } }, expected: OF_E1 },
  { name: 'a flat result with the name of its client', submitted: { ...CHECK, client: 'e1' }, expected: OF_E1 },
  {
    name: 'a result that one client reports for another',
    submitted: { client: { name: 'e1' }, check: { ...CHECK, source: 'switch-1' } },
    expected: { ...CHECK, source: 'switch-1' },
  },
  { name: 'a client without a name', submitted: { client: {}, check: CHECK }, expected: { ...CHECK, source: '' } },
  { name: 'a client that is not a text', submitted: { ...CHECK, client: 7 }, expected: { ...CHECK, source: 7 } },
  { name: 'a result without a client', submitted: CHECK, expected: CHECK },
  { name: 'a client that is null', submitted: { ...CHECK, client: null }, expected: { ...CHECK, client: null } },
  { name: 'a value that is not a result', submitted: 'x', expected: 'x' },
])('a submitted result is assigned to its client: $name', ({ submitted, expected }) => {
  expect(resultWithSource(submitted)).toEqual(expected);
});
