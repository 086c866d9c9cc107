import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSettings, mergeSettings, type Settings } from '../../../shared/domain/merge-settings.ts';

test.each<{ name: string; base: Settings; overriding: Settings; expected: Settings }>([
  { name: 'keys of both are kept', base: { a: 1 }, overriding: { b: 2 }, expected: { a: 1, b: 2 } },
  { name: 'the later value wins', base: { a: 1 }, overriding: { a: 2 }, expected: { a: 2 } },
  {
    name: 'a later false, null or 0 wins as well',
    base: { a: 1, b: 1, c: 1 },
    overriding: { a: false, b: null, c: 0 },
    expected: { a: false, b: null, c: 0 },
  },
  {
    name: 'objects merge deeply',
    base: { checks: { disk: { command: 'df', interval: 60 } } },
    overriding: { checks: { disk: { interval: 10 }, load: { command: 'uptime' } } },
    expected: { checks: { disk: { command: 'df', interval: 10 }, load: { command: 'uptime' } } },
  },
  {
    name: 'arrays are joined without duplicates, in order of first appearance',
    base: { subscriptions: ['web', 'all'] },
    overriding: { subscriptions: ['all', 'db'] },
    expected: { subscriptions: ['web', 'all', 'db'] },
  },
  {
    name: 'a command that is a list is replaced as a whole',
    base: { checks: { web: { command: ['check-web', '-w', '1'], handlers: ['a'] } } },
    overriding: { checks: { web: { command: ['check-http'], handlers: ['b'] } } },
    expected: { checks: { web: { command: ['check-http'], handlers: ['a', 'b'] } } },
  },
  {
    name: 'equal objects in arrays are duplicates',
    base: { a: [{ x: 1 }] },
    overriding: { a: [{ x: 1 }, { x: 2 }] },
    expected: { a: [{ x: 1 }, { x: 2 }] },
  },
  { name: 'the number 1 and the text 1 differ', base: { a: [1] }, overriding: { a: ['1'] }, expected: { a: [1, '1'] } },
  {
    name: 'an array replaces an object, and the other way round',
    base: { a: {}, b: [] },
    overriding: { a: [], b: {} },
    expected: { a: [], b: {} },
  },
])('settings are merged: $name', ({ base, overriding, expected }) => {
  expect(mergeSettings(base, overriding)).toEqual(expected);
});

test('a settings key named __proto__ or constructor is an ordinary key and changes no prototype', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}');
  if (!isSettings(hostile)) throw new Error('the fixture is an object');
  const merged = mergeSettings({ a: {} }, hostile);
  expect(Object.keys(merged)).toEqual(['a', '__proto__']);
  expect('polluted' in {}).toBe(false);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});

// Few keys, so that they collide. None of them is a property of `Object.prototype`, which the tests make
// non-extensible.
const settings = fc.object({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  values: [fc.integer(), fc.string(), fc.boolean(), fc.constant(null)],
  maxDepth: 3,
});

test('merging empty settings changes nothing, merging twice equals merging once, and arguments stay unchanged', () => {
  fc.assert(
    fc.property(settings, settings, (base, over) => {
      const before = JSON.stringify([base, over]);
      const once = mergeSettings(base, over);
      expect(mergeSettings(base, {})).toEqual(base);
      expect(mergeSettings({}, over)).toEqual(over);
      expect(Object.keys(once).toSorted()).toEqual(
        [...new Set([...Object.keys(base), ...Object.keys(over)])].toSorted(),
      );
      expect(JSON.stringify([base, over])).toBe(before);
    }),
  );
});
