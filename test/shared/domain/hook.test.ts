import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectHook } from '../../../shared/domain/hook.ts';

const hook = { command: 'true' };
const ALL = { 1: hook, 2: hook, 255: hook, ok: hook, warning: hook, critical: hook, unknown: hook, 'non-zero': hook };

// A hook named after the status from 1 to 255 comes first, then one named after the severity, then `non-zero`
// (reference 2.2.2).
test.each<{ hooks: Record<string, unknown>; status: number; runs: string | undefined }>([
  { hooks: ALL, status: 0, runs: 'ok' },
  { hooks: ALL, status: 1, runs: '1' },
  { hooks: ALL, status: 2, runs: '2' },
  { hooks: ALL, status: 3, runs: 'unknown' },
  { hooks: ALL, status: 255, runs: '255' },
  { hooks: { 0: hook, ok: hook }, status: 0, runs: '0' },
  { hooks: { warning: hook, 'non-zero': hook }, status: 1, runs: 'warning' },
  { hooks: { critical: hook, 'non-zero': hook }, status: 2, runs: 'critical' },
  { hooks: { critical: hook, 'non-zero': hook }, status: 1, runs: 'non-zero' },
  { hooks: { unknown: hook }, status: 99, runs: 'unknown' },
  { hooks: { unknown: hook }, status: -1, runs: 'unknown' },
  { hooks: { 'non-zero': hook }, status: 3, runs: 'non-zero' },
  { hooks: { 'non-zero': hook }, status: 0, runs: undefined },
  { hooks: { critical: hook }, status: 0, runs: undefined },
  { hooks: {}, status: 2, runs: undefined },
  // An invalid hook is skipped, and the next one in the order runs.
  { hooks: { 2: 'echo', critical: hook }, status: 2, runs: 'critical' },
])('a result with status $status and the hooks $hooks runs the hook $runs', ({ hooks, status, runs }) => {
  expect(selectHook(hooks, status)).toBe(runs);
});

test.each([undefined, null, 'x', [hook], 5])('no hook runs if the attribute hooks is %s', (hooks) => {
  expect(selectHook(hooks, 2)).toBeUndefined();
});

test('only defined hooks run, and hooks for every status always yield a hook', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10, max: 300 }), fc.subarray(Object.keys(ALL)), (status, names) => {
      const hooks = Object.fromEntries(names.map((name) => [name, hook]));
      expect([...names, undefined]).toContain(selectHook(hooks, status));
      expect(selectHook({ ...hooks, ok: hook, 'non-zero': hook }, status)).toBeDefined();
    }),
  );
});
