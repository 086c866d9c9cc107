import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import { settingsChanges } from '../../../shared/domain/settings-changes.ts';

test.each<{ name: string; before: Settings; after: Settings; changes: object[] }>([
  { name: 'no change for equal settings', before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, changes: [] },
  {
    name: 'a deeply nested attribute',
    before: { checks: { disk: { interval: 60, command: 'df' } } },
    after: { checks: { disk: { interval: 30, command: 'df' } } },
    changes: [{ path: 'checks.disk.interval', before: 60, after: 30 }],
  },
  {
    name: 'added and removed attributes',
    before: { checks: { old: { interval: 60 } } },
    after: { api: { port: 1 } },
    changes: [
      { path: 'api', after: '{"port":1}' },
      { path: 'checks', before: '{"old":{"interval":60}}' },
    ],
  },
  {
    name: 'an attribute that was null before',
    before: { a: null },
    after: { a: 1 },
    changes: [{ path: 'a', before: null, after: 1 }],
  },
  {
    name: 'a list as one value',
    before: { subscribers: ['a', 'b'] },
    after: { subscribers: ['b'] },
    changes: [{ path: 'subscribers', before: '["a","b"]', after: '["b"]' }],
  },
  {
    name: 'changed secrets without their values',
    before: { mail: { password: 'p1', token: 1 }, secret: { a: 1 }, hooks: [{ api_key: 'k1' }] },
    after: { mail: { password: 'p2', token: 2 }, secret: { a: 2 }, hooks: [{ api_key: 'k2' }] },
    changes: [
      { path: 'hooks', before: '[{"api_key":"REDACTED"}]', after: '[{"api_key":"REDACTED"}]' },
      { path: 'mail.password', before: 'REDACTED', after: 'REDACTED' },
      { path: 'mail.token', before: 1, after: 2 },
      { path: 'secret', before: 'REDACTED', after: 'REDACTED' },
    ],
  },
  {
    name: 'a truncated long text',
    before: {},
    after: { command: 'x'.repeat(1000) },
    changes: [{ path: 'command', after: `${'x'.repeat(200)}...` }],
  },
])('the comparison of settings lists $name', ({ before, after, changes }) => {
  expect(settingsChanges(before, after)).toEqual(changes);
});

test('a comparison of settings lists a change if and only if the settings differ', () => {
  const settings = fc.dictionary(
    fc.string(),
    fc.oneof(fc.integer(), fc.array(fc.string()), fc.dictionary(fc.string(), fc.string())),
  );
  fc.assert(
    fc.property(settings, settings, (before, after) => {
      expect(settingsChanges(before, before)).toEqual([]);
      expect(settingsChanges(before, after).length === 0).toBe(isDeepStrictEqual({ ...before }, { ...after }));
    }),
  );
});
