import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExpired } from '../../../shared/domain/expiry.ts';
import {
  entriesEndedByResolve,
  isActive,
  isSilenced,
  matchingEntries,
  silencedByIds,
  silencedEntry,
  silencedId,
  silencedView,
  type SilencedIndex,
  type SilencedOfSubscription,
  type SilencedRequest,
} from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** The current time in epoch seconds and milliseconds, in the middle of a second. */
const NOW = 1_800_000_000;
const NOW_MS = NOW * 1000 + 250;

/** A plain implementation of the silence index of the registry. */
function indexOf(entries: readonly SilencedEntry[]): SilencedIndex {
  return {
    bySubscription(subscription): SilencedOfSubscription | undefined {
      const named = entries.filter((entry) => entry.subscription === subscription);
      if (named.length === 0) return undefined;
      const byCheck = new Map<string, SilencedEntry>();
      for (const entry of named) if (entry.check !== null) byCheck.set(entry.check, entry);
      return { all: named.find(({ check }) => check === null), byCheck };
    },
    byCheck: (check) => entries.find((entry) => entry.subscription === null && entry.check === check),
  };
}

const entry = (request: SilencedRequest): SilencedEntry => silencedEntry(request, NOW_MS);

describe('the id of a silence (reference 2.1)', () => {
  test.each<{ subscription?: string | null; check?: string | null; id: string }>([
    { subscription: 'load', check: 'disk', id: 'load:disk' },
    { subscription: 'client:web-1', id: 'client:web-1:*' },
    { check: 'disk', id: '*:disk' },
    { subscription: null, check: 'disk', id: '*:disk' },
    { subscription: 'load', check: null, id: 'load:*' },
  ])('the id of a silence is $id', ({ subscription, check, id }) => {
    expect(silencedId(subscription, check)).toBe(id);
    expect(entry({ subscription, check }).id).toBe(id);
  });
});

describe('a new silence', () => {
  test('a new silence has every attribute, with null for attributes that were not set', () => {
    expect(entry({ check: 'disk' })).toEqual({
      id: '*:disk',
      subscription: null,
      check: 'disk',
      reason: null,
      creator: null,
      begin: null,
      expireAtMs: null,
      expire_on_resolve: false,
      timestamp: NOW,
    });
  });

  test('a new silence keeps the given values and treats null as not set', () => {
    const request = { subscription: 'load', reason: 'repair', creator: 'ann', begin: NOW + 5, expire_on_resolve: true };
    expect(entry(request)).toMatchObject(request);
    const silent: SilencedRequest = {
      subscription: 'load',
      check: null,
      reason: null,
      creator: null,
      begin: null,
      expire: null,
      expire_on_resolve: null,
    };
    expect(entry(silent)).toEqual(entry({ subscription: 'load' }));
  });

  // `reads` is the value of `expire` right after the creation. The silence ends after `endsAfterMs`, or never if that
  // is `null` (completion 1.2).
  test.each<{ name: string; request: SilencedRequest; reads: number; endsAfterMs: number | null }>([
    { name: 'never ends without expire', request: {}, reads: -1, endsAfterMs: null },
    { name: 'never ends with expire -1', request: { expire: -1 }, reads: -1, endsAfterMs: null },
    { name: 'ends after its seconds, to the millisecond', request: { expire: 60 }, reads: 60, endsAfterMs: 60_000 },
    { name: 'ends at once with expire 0', request: { expire: 0 }, reads: 0, endsAfterMs: 0 },
    {
      name: 'lasts for its seconds from a begin in the future on',
      request: { begin: NOW + 100, expire: 60 },
      reads: 160,
      endsAfterMs: 159_750,
    },
    {
      name: 'with a begin in the past lasts from now on',
      request: { begin: NOW - 100, expire: 60 },
      reads: 60,
      endsAfterMs: 60_000,
    },
    { name: 'with a begin and without expire never ends', request: { begin: NOW + 100 }, reads: -1, endsAfterMs: null },
  ])('a new silence $name', ({ request, reads, endsAfterMs }) => {
    const made = entry({ check: 'disk', ...request });
    expect(silencedView(made, NOW_MS).expire).toBe(reads);
    expect(made.expireAtMs).toBe(endsAfterMs === null ? null : NOW_MS + endsAfterMs);
  });
});

describe('the lifetime of a silence', () => {
  test.each<{
    name: string;
    request: SilencedRequest;
    afterMs: number;
    active: boolean;
    expired: boolean;
    reads: number;
  }>([
    { name: 'is active at once', request: { expire: 60 }, afterMs: 0, active: true, expired: false, reads: 60 },
    {
      name: 'shows its remaining time in whole seconds',
      request: { expire: 60 },
      afterMs: 1,
      active: true,
      expired: false,
      reads: 60,
    },
    {
      name: 'shows a second that has started as a whole second',
      request: { expire: 60 },
      afterMs: 1000,
      active: true,
      expired: false,
      reads: 59,
    },
    {
      name: 'never shows 0 seconds while it is active',
      request: { expire: 60 },
      afterMs: 59_999,
      active: true,
      expired: false,
      reads: 1,
    },
    { name: 'is expired at its end', request: { expire: 60 }, afterMs: 60_000, active: false, expired: true, reads: 0 },
    {
      name: 'never shows a negative remaining time',
      request: { expire: 60 },
      afterMs: 90_000,
      active: false,
      expired: true,
      reads: 0,
    },
    {
      name: 'with expire 0 is never active',
      request: { expire: 0 },
      afterMs: 0,
      active: false,
      expired: true,
      reads: 0,
    },
    {
      name: 'is not active before its begin',
      request: { begin: NOW + 2 },
      afterMs: 1749,
      active: false,
      expired: false,
      reads: -1,
    },
    {
      name: 'is active from its begin on',
      request: { begin: NOW + 2 },
      afterMs: 1750,
      active: true,
      expired: false,
      reads: -1,
    },
    { name: 'without expire is active forever', request: {}, afterMs: 1e13, active: true, expired: false, reads: -1 },
  ])('a silence during its lifetime $name', ({ request, afterMs, active, expired, reads }) => {
    const made = entry({ check: 'disk', ...request });
    const at = NOW_MS + afterMs;
    expect([isActive(made, at), isExpired(made, at), silencedView(made, at).expire]).toEqual([active, expired, reads]);
  });

  test('the view of a silence shows every attribute except the absolute end', () => {
    expect(silencedView(entry({ subscription: 'load', reason: 'repair', expire: 5 }), NOW_MS)).toEqual({
      id: 'load:*',
      subscription: 'load',
      check: null,
      reason: 'repair',
      creator: null,
      begin: null,
      expire_on_resolve: false,
      timestamp: NOW,
      expire: 5,
    });
  });
});

describe('the silences of an event', () => {
  const subscriptions = ['web', 'eu', 'client:web-1'];

  test.each<{ name: string; entries: SilencedRequest[]; expected: string[] }>([
    { name: 'by no silence if there is none', entries: [], expected: [] },
    { name: 'by a subscription of its client', entries: [{ subscription: 'eu' }], expected: ['eu:*'] },
    { name: 'by its client', entries: [{ subscription: 'client:web-1' }], expected: ['client:web-1:*'] },
    { name: 'by its check on all clients', entries: [{ check: 'disk' }], expected: ['*:disk'] },
    {
      name: 'by its check on a subscription of its client',
      entries: [{ subscription: 'eu', check: 'disk' }],
      expected: ['eu:disk'],
    },
    {
      name: 'by no silence of another check',
      entries: [{ check: 'dis' }, { subscription: 'eu', check: 'disk2' }],
      expected: [],
    },
    {
      name: 'by no silence of another client',
      entries: [{ subscription: 'client:web-10' }, { subscription: 'client:web' }],
      expected: [],
    },
    {
      name: 'by no silence whose subscription looks like a pattern',
      entries: [{ subscription: 'e.' }, { subscription: '*' }],
      expected: [],
    },
    {
      name: 'by all matching silences in the order of completion 1.3: by subscription, then for all clients',
      entries: [
        { check: 'disk' },
        { subscription: 'client:web-1', check: 'disk' },
        { subscription: 'client:web-1' },
        { subscription: 'web', check: 'disk' },
        { subscription: 'eu' },
      ],
      expected: ['web:disk', 'eu:*', 'client:web-1:*', 'client:web-1:disk', '*:disk'],
    },
    {
      name: 'by no expired or pending silence',
      entries: [
        { subscription: 'web', expire: 0 },
        { subscription: 'eu', begin: NOW + 60 },
        { check: 'disk', begin: NOW },
      ],
      expected: ['*:disk'],
    },
  ])('an event is silenced $name', ({ entries, expected }) => {
    expect(silencedByIds(indexOf(entries.map(entry)), subscriptions, 'disk', NOW_MS)).toEqual(expected);
  });

  test('an event is also silenced by silences of the check of which its check is a variant', () => {
    const entries: SilencedRequest[] = [
      { check: 'Down' },
      { subscription: 'web', check: 'Down..critical' },
      { subscription: 'eu', check: 'Down..warning' },
      { check: 'Do' },
    ];
    const index = indexOf(entries.map(entry));
    expect(silencedByIds(index, subscriptions, 'Down..critical..0badcafe', NOW_MS)).toEqual([
      'web:Down..critical',
      '*:Down',
    ]);
    expect(silencedByIds(index, subscriptions, 'Down', NOW_MS)).toEqual(['*:Down']);
  });

  test('an event is silenced by exactly the silences that a full scan finds, in the order of the candidates', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'client:a');
    const request = fc
      .record({
        subscription: fc.option(name),
        check: fc.option(fc.constantFrom('x', 'y')),
        begin: fc.option(fc.constantFrom(NOW - 10, NOW, NOW + 1)),
        expire: fc.option(fc.constantFrom(-1, 0, 1, 100)),
        expire_on_resolve: fc.boolean(),
      })
      .filter(({ subscription, check }) => (subscription ?? check) !== null);
    const entries = fc.uniqueArray(request.map(entry), { selector: ({ id }) => id });
    fc.assert(
      fc.property(
        entries,
        fc.uniqueArray(name),
        fc.constantFrom('x', 'y'),
        fc.nat(2000),
        (all, held, check, laterMs) => {
          const index = indexOf(all);
          const at = NOW_MS + laterMs;
          const candidates = [...held.flatMap((each) => [`${each}:*`, `${each}:${check}`]), `*:${check}`];
          const naming = candidates.flatMap((id) => all.filter((each) => each.id === id));
          const active = naming.filter(
            ({ begin, expireAtMs: end }) => (begin === null || begin * 1000 <= at) && (end === null || at < end),
          );
          expect([...matchingEntries(index, held, check)]).toEqual(naming);
          expect(silencedByIds(index, held, check, at)).toEqual(active.map(({ id }) => id));
          expect(isSilenced(index, held, check, at)).toBe(active.length > 0);
          expect(entriesEndedByResolve(index, held, check, at)).toEqual(
            active.filter((each) => each.expire_on_resolve),
          );
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('the silences that end on resolve', () => {
  test.each<{ name: string; request: SilencedRequest; endsSilence: boolean }>([
    { name: 'a matching silence with expire_on_resolve', request: { expire_on_resolve: true }, endsSilence: true },
    { name: 'no silence without expire_on_resolve', request: {}, endsSilence: false },
    {
      name: 'no pending silence with expire_on_resolve',
      request: { expire_on_resolve: true, begin: NOW + 1 },
      endsSilence: false,
    },
    {
      name: 'no expired silence with expire_on_resolve',
      request: { expire_on_resolve: true, expire: 0 },
      endsSilence: false,
    },
  ])('the resolution of an event ends $name', ({ request, endsSilence }) => {
    const made = entry({ subscription: 'web', ...request });
    expect(entriesEndedByResolve(indexOf([made]), ['web'], 'disk', NOW_MS)).toEqual(endsSilence ? [made] : []);
  });
});
