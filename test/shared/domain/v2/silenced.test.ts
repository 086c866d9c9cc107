import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  v2SilencedName,
  v2SilencedOf,
  parseV2SilencedName,
  partsOfV2Silenced,
  silencedOfV2,
  type SilenceIdentity,
} from '../../../../shared/domain/v2/silenced.ts';
import { v2Subscription, subscriptionOfV2 } from '../../../../shared/domain/v2/subscription.ts';
import { silencedEntry } from '../../../../shared/domain/silencing.ts';
import { v2SilencedSchema } from '../../../../shared/schemas/v2/silenced.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';

/** The current time in epoch seconds and milliseconds, in the middle of a second. */
const NOW = 1_800_000_000;
const NOW_MS = NOW * 1000 + 250;

/** Returns the silence that the body of a v2 request creates at a time. */
function entryOf(body: unknown, { before, nowMs = NOW_MS }: { before?: SilencedEntry; nowMs?: number } = {}) {
  const core = v2SilencedSchema.parse(body);
  const parts = partsOfV2Silenced(core);
  if (parts === undefined) throw new Error('the body names nothing');
  const { request, overrides: over } = silencedOfV2(core, parts, before);
  return { ...silencedEntry(request, nowMs), ...over };
}

describe('the subscription of a single client', () => {
  test('the subscription of a single client is entity:NAME in the v2 API and client:NAME internally', () => {
    expect(v2Subscription('client:web-01')).toBe('entity:web-01');
    expect(subscriptionOfV2('entity:web-01')).toBe('client:web-01');
  });

  test.each(['linux', 'roundrobin:web', 'client', 'client:', 'entities:x'])(
    'the subscription %s has the same form in the v2 API and internally',
    (subscription) => {
      expect(v2Subscription(subscription)).toBe(subscription);
      expect(subscriptionOfV2(v2Subscription(subscription))).toBe(subscription);
    },
  );
});

describe('the name of a silence in the v2 API', () => {
  test.each<{ name: string; parts: SilenceIdentity | undefined }>([
    { name: 'linux:check-cpu', parts: { subscription: 'linux', check: 'check-cpu' } },
    { name: 'linux:*', parts: { subscription: 'linux', check: null } },
    { name: '*:check-cpu', parts: { subscription: null, check: 'check-cpu' } },
    { name: 'entity:web-01:check-cpu', parts: { subscription: 'client:web-01', check: 'check-cpu' } },
    { name: 'entity:web-01:*', parts: { subscription: 'client:web-01', check: null } },
    { name: 'entity:cpu', parts: { subscription: 'entity', check: 'cpu' } },
    { name: 'check-cpu', parts: { subscription: null, check: 'check-cpu' } },
    { name: '*:*', parts: undefined },
  ])('the v2 silence name $name is split into subscription and check', ({ name, parts }) => {
    expect(parseV2SilencedName(name)).toEqual(parts);
  });

  test('the v2 name of any silence is split back into the same subscription and check', () => {
    const word = fc.stringMatching(/^[a-z]{1,5}$/);
    const subscription = fc.oneof(
      word,
      word.map((name) => `client:${name}`),
    );
    fc.assert(
      fc.property(fc.option(subscription), fc.option(word), (named, check) => {
        fc.pre(named !== null || check !== null);
        const parts = { subscription: named, check };
        expect(parseV2SilencedName(v2SilencedName(parts))).toEqual(parts);
      }),
    );
  });

  test('the name of a v2 silence applies only if the body names neither subscription nor check', () => {
    const metadata = { name: 'entity:web-01:cpu' };
    expect(partsOfV2Silenced({ metadata })).toEqual({ subscription: 'client:web-01', check: 'cpu' });
    expect(partsOfV2Silenced({ metadata, check: 'disk', subscription: '' })).toEqual({
      subscription: null,
      check: 'disk',
    });
    expect(partsOfV2Silenced({ subscription: '*', check: null })).toBeUndefined();
  });
});

describe('a silence in the v2 API', () => {
  test('a silence in the v2 API shows the requested seconds and its end as a time', () => {
    const entry = entryOf({
      metadata: { namespace: 'default', labels: { team: 'a' } },
      subscription: 'entity:web-01',
      check: 'cpu',
      expire: 3600,
      expire_on_resolve: true,
      reason: 'rebooting',
      creator: 'ada',
    });
    expect(v2SilencedOf('default', entry)).toEqual({
      metadata: {
        name: 'entity:web-01:cpu',
        namespace: 'default',
        labels: { team: 'a' },
        created_by: 'ada',
      },
      expire: 3600,
      expire_at: NOW + 3601,
      expire_on_resolve: true,
      creator: 'ada',
      check: 'cpu',
      reason: 'rebooting',
      subscription: 'entity:web-01',
      begin: NOW,
    });
    expect(entry).toMatchObject({ id: 'client:web-01:cpu', subscription: 'client:web-01' });
  });

  test('a silence in the v2 API shows a subscription or check only if it has one', () => {
    const shown = v2SilencedOf('default', entryOf({ subscription: 'linux', expire: -1 }));
    expect(shown).toMatchObject({ metadata: { name: 'linux:*' }, expire: -1, expire_at: 0, creator: '' });
    expect(shown).not.toHaveProperty('check');
    expect(shown).not.toHaveProperty('reason');
  });

  test('a silence in the v2 API shows the asterisks with which it was sent', () => {
    expect(v2SilencedOf('default', entryOf({ subscription: '*', check: 'cpu' }))).toMatchObject({
      metadata: { name: '*:cpu' },
      subscription: '*',
      check: 'cpu',
    });
  });

  test.each([
    { body: { expire: 60 }, expire: 60 },
    { body: { expire: 60, begin: NOW + 600 }, expire: 60 },
    { body: { expire: 60, begin: NOW - 600 }, expire: 60 },
    { body: { expire: 0 }, expire: -1 },
    { body: {}, expire: -1 },
  ])('a silence in the v2 API with $body lasts for $expire seconds', ({ body, expire }) => {
    expect(v2SilencedOf('default', entryOf({ check: 'cpu', ...body })).expire).toBe(expire);
  });

  test.each([
    { body: { expire: 3600 }, expire: 3600 },
    { body: {}, expire: 60 },
    { body: { expire: -1, begin: NOW + 20 }, expire: 40 },
  ])('a v2 silence with $body and an end as a time ends at that time and shows $expire seconds', ({ body, expire }) => {
    const shown = v2SilencedOf('default', entryOf({ check: 'cpu', expire_at: NOW + 60, ...body }));
    expect(shown).toMatchObject({ expire, expire_at: NOW + 60 });
  });
});

describe('a silence that is read, changed and put in the v2 API', () => {
  const before = entryOf({ check: 'cpu', expire: 3600 });
  const later = { before, nowMs: NOW_MS + 600_000 };
  const read = v2SilencedOf('default', before);

  test('a v2 silence that is put back with unchanged seconds and end keeps both', () => {
    const after = entryOf({ ...read, reason: 'longer than thought' }, later);
    expect(after.expireAtMs).toBe(before.expireAtMs);
    expect(v2SilencedOf('default', after)).toEqual({ ...read, reason: 'longer than thought' });
  });

  test('a v2 silence that is put back with other seconds ends that many seconds from now', () => {
    const after = entryOf({ ...read, expire: 7200 }, later);
    expect(after.expireAtMs).toBe(NOW_MS + 600_000 + 7_200_000);
  });

  test('a v2 silence that is put back with another end ends at that time', () => {
    expect(entryOf({ ...read, expire_at: NOW + 900 }, later).expireAtMs).toBe((NOW + 900) * 1000);
  });
});
