import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SilencedRegistry } from '../../../../../daemon/backend/model/silences/state.ts';
import { matchingEntries, silencedEntry, silencedId } from '../../../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../../../shared/schemas/silenced.ts';

const anEntry = (subscription: string | undefined, check: string | undefined): SilencedEntry =>
  silencedEntry({ subscription, check }, 0);

function registryOf(...parts: readonly (readonly [string | undefined, string | undefined])[]): SilencedRegistry {
  const registry = new SilencedRegistry();
  for (const [subscription, check] of parts) registry.put(anEntry(subscription, check));
  return registry;
}

const ids = (entries: Iterable<SilencedEntry>): string[] => [...entries].map(({ id }) => id).toSorted();

test('silences can be found by their check, with or without a subscription', () => {
  const registry = registryOf([undefined, 'disk'], ['web', 'disk'], ['web', undefined], ['disk', 'cpu']);
  expect(ids(registry.namingCheck('disk'))).toEqual(['*:disk', 'web:disk']);
  expect(ids(registry.namingCheck('nothing'))).toEqual([]);
});

test('silences can be found by their exact subscription or by its prefix up to a colon', () => {
  const registry = registryOf(['client:a', undefined], ['client:a', 'disk'], ['client:ab', undefined], ['client', 'x']);
  expect(ids(registry.namingSubscription('client:a', false))).toEqual(['client:a:*', 'client:a:disk']);
  expect(ids(registry.namingSubscription('client:a', true))).toEqual(['client:a:*', 'client:a:disk']);
  expect(ids(registry.namingSubscription('client', true))).toHaveLength(4);
  expect(ids(registry.namingSubscription('cli', true))).toEqual([]);
});

test('a new silence replaces the silence with the same id', () => {
  const registry = registryOf(['web', 'disk']);
  const again = { ...anEntry('web', 'disk'), reason: 'again' };
  registry.put(again);
  expect(registry.size).toBe(1);
  expect(registry.get('web:disk')).toBe(again);
  expect([...matchingEntries(registry, ['web'], 'disk')]).toEqual([again]);
});

test('the suppression count of a silence stays until the silence is removed or the count is reset', () => {
  const registry = registryOf(['web', 'disk'], ['web', undefined]);
  expect(registry.use('web:disk')).toBeUndefined();
  registry.countSuppressedRun('web:disk', 10);
  registry.countSuppressedRun('web:disk', 20);
  expect(registry.use('web:disk')).toEqual({ suppressed: 2, last_suppressed: 20, unmatched_since: 20 });
  expect(registry.use('web:*')).toBeUndefined();
  registry.put(anEntry('web', 'disk'));
  expect(registry.use('web:disk')).toMatchObject({ suppressed: 2 });
  registry.forgetUse('web:disk');
  expect(registry.use('web:disk')).toBeUndefined();
  registry.countSuppressedRun('web:disk', 30);
  registry.remove(anEntry('web', 'disk'));
  expect(registry.use('web:disk')).toBeUndefined();
  registry.loadUse('web:disk', { suppressed: 7, last_suppressed: 1 });
  registry.loadUse('web:*', { suppressed: 7, last_suppressed: 1 });
  expect([registry.use('web:disk'), registry.use('web:*')]).toEqual([undefined, { suppressed: 7, last_suppressed: 1 }]);
});

test('every index of silences equals the list of all silences after any changes', () => {
  const part = fc.constantFrom('web', 'db', 'client:a');
  const step = fc.record({
    do: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
    subscription: fc.option(part, { nil: undefined }),
    check: fc.option(fc.constantFrom('cpu', 'disk'), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const registry = new SilencedRegistry();
      for (const { do: what, subscription, check } of steps) {
        if (subscription === undefined && check === undefined) continue;
        const present = registry.get(silencedId(subscription, check));
        if (what === 'put') registry.put(anEntry(subscription, check));
        else if (present !== undefined) registry.remove(present);
      }
      const all = [...registry.all()];
      expect(registry.size).toBe(all.length);
      for (const check of ['cpu', 'disk']) {
        expect(ids(registry.namingCheck(check))).toEqual(ids(all.filter((entry) => entry.check === check)));
        const matching = all.filter(
          (entry) => (entry.subscription ?? 'web') === 'web' && (entry.check ?? check) === check,
        );
        expect(ids(matchingEntries(registry, ['web'], check))).toEqual(ids(matching));
      }
      for (const name of ['web', 'db', 'client:a']) {
        expect(ids(registry.namingSubscription(name, false))).toEqual(
          ids(all.filter((entry) => entry.subscription === name)),
        );
      }
    }),
  );
});

test('the epoch of silences changes exactly when a silence becomes active or ends', () => {
  const registry = new SilencedRegistry();
  const epochs = (times: readonly number[]): number => new Set(times.map((nowMs) => registry.epochAt(nowMs))).size;
  expect(epochs([0, 500, 1000])).toBe(1);
  const before = registry.epochAt(1000);
  const entry = silencedEntry({ check: 'cpu', begin: 10, expire: 20 }, 1000);
  registry.put(entry);
  expect(registry.epochAt(1000)).not.toBe(before);
  expect(epochs([1000, 9999])).toBe(1);
  expect(epochs([9999, 10_000])).toBe(2);
  expect(epochs([10_000, 29_999])).toBe(1);
  expect(epochs([29_999, 30_000])).toBe(2);
  expect(epochs([30_000, 99_999])).toBe(1);
  const then = registry.epochAt(99_999);
  registry.remove(entry);
  expect(registry.epochAt(99_999)).not.toBe(then);
});
