import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExpired } from '../../../shared/domain/expiry.ts';
import {
  entriesEndedByResolve,
  isActive,
  isSilenced,
  matchingEntries,
  silencedBy,
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

/** The index of the registry, in its plainest form. */
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
  test('a new silence has every attribute, with null for those that were not set', () => {
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
    const said = { subscription: 'load', reason: 'repair', creator: 'ann', begin: NOW + 5, expire_on_resolve: true };
    expect(entry(said)).toMatchObject(said);
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

  // The value that a read returns immediately, and when the silence ends (completion 1.2).
  test.each<{ name: string; request: SilencedRequest; reads: number; endsAfterMs: number | null }>([
    { name: 'never ends without expire', request: {}, reads: -1, endsAfterMs: null },
    { name: 'never ends with expire -1', request: { expire: -1 }, reads: -1, endsAfterMs: null },
    { name: 'ends after its seconds, to the millisecond', request: { expire: 60 }, reads: 60, endsAfterMs: 60_000 },
    { name: 'ends at once with expire 0', request: { expire: 0 }, reads: 0, endsAfterMs: 0 },
    {
      name: 'lives its seconds from a begin that lies ahead',
      request: { begin: NOW + 100, expire: 60 },
      reads: 160,
      endsAfterMs: 159_750,
    },
    {
      name: 'gains nothing from a begin in the past',
      request: { begin: NOW - 100, expire: 60 },
      reads: 60,
      endsAfterMs: 60_000,
    },
    { name: 'stays for ever once begun', request: { begin: NOW + 100 }, reads: -1, endsAfterMs: null },
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
    { name: 'silences at once', request: { expire: 60 }, afterMs: 0, active: true, expired: false, reads: 60 },
    {
      name: 'counts down in whole seconds',
      request: { expire: 60 },
      afterMs: 1,
      active: true,
      expired: false,
      reads: 60,
    },
    {
      name: 'counts the second that runs',
      request: { expire: 60 },
      afterMs: 1000,
      active: true,
      expired: false,
      reads: 59,
    },
    {
      name: 'never reads 0 while it lives',
      request: { expire: 60 },
      afterMs: 59_999,
      active: true,
      expired: false,
      reads: 1,
    },
    { name: 'is over at its end', request: { expire: 60 }, afterMs: 60_000, active: false, expired: true, reads: 0 },
    { name: 'reads no less than 0', request: { expire: 60 }, afterMs: 90_000, active: false, expired: true, reads: 0 },
    {
      name: 'with expire 0 never silences',
      request: { expire: 0 },
      afterMs: 0,
      active: false,
      expired: true,
      reads: 0,
    },
    {
      name: 'waits for its begin',
      request: { begin: NOW + 2 },
      afterMs: 1749,
      active: false,
      expired: false,
      reads: -1,
    },
    {
      name: 'silences from its begin on',
      request: { begin: NOW + 2 },
      afterMs: 1750,
      active: true,
      expired: false,
      reads: -1,
    },
    { name: 'for ever is long', request: {}, afterMs: 1e13, active: true, expired: false, reads: -1 },
  ])('the lifetime of a silence: it $name', ({ request, afterMs, active, expired, reads }) => {
    const made = entry({ check: 'disk', ...request });
    const at = NOW_MS + afterMs;
    expect([isActive(made, at), isExpired(made, at), silencedView(made, at).expire]).toEqual([active, expired, reads]);
  });

  test('a silence shows every attribute but its absolute end', () => {
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
    { name: 'by nothing', entries: [], expected: [] },
    { name: 'by a subscription of its client', entries: [{ subscription: 'eu' }], expected: ['eu:*'] },
    { name: 'by its client', entries: [{ subscription: 'client:web-1' }], expected: ['client:web-1:*'] },
    { name: 'by its check everywhere', entries: [{ check: 'disk' }], expected: ['*:disk'] },
    { name: 'by its check in a subscription', entries: [{ subscription: 'eu', check: 'disk' }], expected: ['eu:disk'] },
    { name: 'not by another check', entries: [{ check: 'dis' }, { subscription: 'eu', check: 'disk2' }], expected: [] },
    {
      name: 'not by another client',
      entries: [{ subscription: 'client:web-10' }, { subscription: 'client:web' }],
      expected: [],
    },
    { name: 'not by a pattern', entries: [{ subscription: 'e.' }, { subscription: '*' }], expected: [] },
    {
      name: 'by all that match: for each subscription all checks, then this one; at last everywhere (completion 1.3)',
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
      name: 'not by what is over or has not begun',
      entries: [
        { subscription: 'web', expire: 0 },
        { subscription: 'eu', begin: NOW + 60 },
        { check: 'disk', begin: NOW },
      ],
      expected: ['*:disk'],
    },
  ])('an event is silenced $name', ({ entries, expected }) => {
    expect(silencedBy(indexOf(entries.map(entry)), subscriptions, 'disk', NOW_MS)).toEqual(expected);
  });

  test('an event is silenced also by silences of the check that its check is a variant of', () => {
    const entries: SilencedRequest[] = [
      { check: 'Down' },
      { subscription: 'web', check: 'Down..critical' },
      { subscription: 'eu', check: 'Down..warning' },
      { check: 'Do' },
    ];
    const index = indexOf(entries.map(entry));
    expect(silencedBy(index, subscriptions, 'Down..critical..0badcafe', NOW_MS)).toEqual([
      'web:Down..critical',
      '*:Down',
    ]);
    expect(silencedBy(index, subscriptions, 'Down', NOW_MS)).toEqual(['*:Down']);
  });

  test('an event is silenced by exactly the entries that a full scan finds, in the order of the candidates', () => {
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
          expect(silencedBy(index, held, check, at)).toEqual(active.map(({ id }) => id));
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
  test.each<{ name: string; request: SilencedRequest; ends: boolean }>([
    { name: 'an entry that asked for it', request: { expire_on_resolve: true }, ends: true },
    { name: 'no other', request: {}, ends: false },
    { name: 'none that has not begun', request: { expire_on_resolve: true, begin: NOW + 1 }, ends: false },
    { name: 'none that is over already', request: { expire_on_resolve: true, expire: 0 }, ends: false },
  ])('a resolution ends $name', ({ request, ends }) => {
    const made = entry({ subscription: 'web', ...request });
    expect(entriesEndedByResolve(indexOf([made]), ['web'], 'disk', NOW_MS)).toEqual(ends ? [made] : []);
  });
});
