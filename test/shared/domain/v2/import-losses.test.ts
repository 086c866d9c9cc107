import { expect, test } from 'vitest';
import { idleAttributes, skippedReason, lostAttributes } from '../../../../shared/domain/v2/import-losses.ts';

const NO_PLACE = 'mon has no such attribute';

test.each<[string, Record<string, unknown>, Record<string, unknown>, readonly unknown[]]>([
  ['a stored attribute is not listed', { command: 'df' }, { command: 'df', more: 1 }, []],
  [
    'an attribute that is not stored is listed',
    { command: 'df', color: 'red' },
    { command: 'df' },
    [{ attribute: 'color', reason: NO_PLACE }],
  ],
  ['an empty value is not listed', { a: '', b: 0, c: false, d: null, e: [], f: {}, g: { h: null } }, {}, []],
  ['a changed value is listed', { ttl: 5 }, { ttl: 7 }, [{ attribute: 'ttl', reason: 'it becomes 7' }]],
  [
    'another order of object names is not listed',
    { system: { os: 'linux', arch: 'arm' } },
    { system: { arch: 'arm', os: 'linux' } },
    [],
  ],
  ['a nested empty value is not listed', { system: { os: 'linux', processes: null } }, { system: { os: 'linux' } }, []],
  [
    'another order of a list is listed',
    { handlers: ['a', 'b'] },
    { handlers: ['b', 'a'] },
    [{ attribute: 'handlers', reason: 'it becomes ["b","a"]' }],
  ],
  [
    'an attribute named like an inherited member of objects is listed',
    { constructor: 'x' },
    {},
    [{ attribute: 'constructor', reason: NO_PLACE }],
  ],
])('an import lists the attributes that are lost or changed: %s', (_what, given, kept, lost) => {
  expect(lostAttributes(given, kept)).toEqual(lost);
});

test('an import names attributes without effect only if they are set', () => {
  const reasons = { assets: 'nothing fetches them' };
  expect(idleAttributes({ assets: ['x'] }, reasons)).toEqual([
    { attribute: 'assets', reason: 'it is kept, but nothing fetches them' },
  ]);
  expect(idleAttributes({ assets: null }, reasons)).toEqual([]);
});

test('every object type that an import leaves out has a reason', () => {
  expect(skippedReason({ type: 'Secret', api_version: 'secrets/v1' })).toMatch(/^secrets are not fetched/);
  expect(skippedReason({ type: 'Whatever', api_version: 'x/v1' })).toBe('the type x/v1.Whatever is not supported');
  expect(skippedReason({ type: 'constructor', api_version: 'x/v1' })).toBe(
    'the type x/v1.constructor is not supported',
  );
});
