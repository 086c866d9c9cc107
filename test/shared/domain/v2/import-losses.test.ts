import { expect, test } from 'vitest';
import { idleAttributes, skippedReason, lostAttributes } from '../../../../shared/domain/v2/import-losses.ts';

const NO_PLACE = 'mon has no such attribute';

test.each<[string, Record<string, unknown>, Record<string, unknown>, readonly unknown[]]>([
  ['what is kept', { command: 'df' }, { command: 'df', more: 1 }, []],
  [
    'what is not there any more',
    { command: 'df', color: 'red' },
    { command: 'df' },
    [{ attribute: 'color', reason: NO_PLACE }],
  ],
  ['what says nothing', { a: '', b: 0, c: false, d: null, e: [], f: {}, g: { h: null } }, {}, []],
  ['what has become something else', { ttl: 5 }, { ttl: 7 }, [{ attribute: 'ttl', reason: 'it becomes 7' }]],
  ['another order of names', { system: { os: 'linux', arch: 'arm' } }, { system: { arch: 'arm', os: 'linux' } }, []],
  ['what says nothing within', { system: { os: 'linux', processes: null } }, { system: { os: 'linux' } }, []],
  [
    'another order of a list',
    { handlers: ['a', 'b'] },
    { handlers: ['b', 'a'] },
    [{ attribute: 'handlers', reason: 'it becomes ["b","a"]' }],
  ],
  ['a name that every object inherits', { constructor: 'x' }, {}, [{ attribute: 'constructor', reason: NO_PLACE }]],
])('lost attributes are listed: %s', (_what, given, kept, lost) => {
  expect(lostAttributes(given, kept)).toEqual(lost);
});

test('attributes without effect are named only when they are set', () => {
  const reasons = { assets: 'nothing fetches them' };
  expect(idleAttributes({ assets: ['x'] }, reasons)).toEqual([
    { attribute: 'assets', reason: 'it is kept, but nothing fetches them' },
  ]);
  expect(idleAttributes({ assets: null }, reasons)).toEqual([]);
});

test('every type that is left out has a reason', () => {
  expect(skippedReason({ type: 'Secret', api_version: 'secrets/v1' })).toMatch(/^secrets are not fetched/);
  expect(skippedReason({ type: 'Whatever', api_version: 'x/v1' })).toBe('the type x/v1.Whatever is not supported');
  expect(skippedReason({ type: 'constructor', api_version: 'x/v1' })).toBe(
    'the type x/v1.constructor is not supported',
  );
});
