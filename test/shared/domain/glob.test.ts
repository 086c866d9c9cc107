import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from '../../../shared/domain/glob.ts';
import { propertyRuns } from '../../support/property-runs.ts';

test.each([
  ['web', 'web', true],
  ['web', 'web-1', false],
  ['web-*', 'web-1', true],
  ['web-*', 'web-', true],
  ['*-db', 'eu-db', true],
  ['*-db', 'eu-db-1', false],
  ['a*b*c', 'aXbXc', true],
  ['a*b*c', 'acb', false],
  ['aba*aba', 'aba', false],
  ['aba*aba', 'abaaba', true],
  ['w?b', 'wxb', true],
  ['w?b', 'wb', false],
  ['*a?c*', 'xxabcxx', true],
  ['*a?c*', 'xxacxx', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['**', 'anything', true],
])('the glob %s matches "%s": %s', (pattern, text, expected) => {
  expect(compileGlob(pattern)(text)).toBe(expected);
});

test('a compiled glob matches the same texts as a simple implementation', () => {
  fc.assert(
    fc.property(letters('a', 'b', '*', '?'), letters('a', 'b'), (pattern, text) => {
      expect(compileGlob(pattern)(text)).toBe(matches(pattern, text));
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('a glob with literal parts longer than a machine word matches correctly', () => {
  const piece = `${'a?'.repeat(40)}b`;
  const text = `${'a'.repeat(500)}b${'c'.repeat(10)}`;
  expect(compileGlob(`*${piece}*`)(text)).toBe(true);
  expect(compileGlob(`*${piece}*`)(text.replace('b', 'c'))).toBe(false);
});

function letters(...units: string[]): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
}

/** Matches a glob pattern by trying every possibility: correct, but slow on long texts. */
function matches(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const rest = pattern.slice(1);
  if (pattern.startsWith('*')) return matches(rest, text) || (text !== '' && matches(pattern, text.slice(1)));
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && matches(rest, text.slice(1));
}
