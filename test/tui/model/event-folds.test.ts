import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch, type Search } from '../../../shared/domain/search.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { EventFold } from '../../../tui/model/event-fold.ts';
import { EventFolds, type FoldedRow } from '../../../tui/model/event-folds.ts';
import type { EventRecord } from '../../../tui/model/event-record.ts';
import { EventRegistry } from '../../../tui/model/event-registry.ts';
import { eventSort } from '../../../tui/model/event-sort.ts';
import {
  BUILT_IN_FOLDINGS,
  foldingOf,
  foldKey,
  type FoldCriterion,
  type FoldValue,
} from '../../../tui/model/fold-by.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

/** Returns an event of a client with the subscriptions linux and web or db, and with the attribute rack. */
function anEventOf(about: Partial<EventRow> & { readonly client: string }): EventRow {
  const attributes: Readonly<Record<string, readonly string[]>> = {
    subscriptions: ['linux', about.client.slice(0, -2)],
    rack: [`r${about.client.slice(-1)}`],
  };
  const set = { id: '', names: Object.keys(attributes), texts: (name: string) => attributes[name] ?? [] };
  return { ...anEventRow(about), [CLIENT_ATTRIBUTES]: set };
}

const rowArbitrary = fc
  .record({
    client: fc.constantFrom('web-1', 'web-2', 'db-1', 'db-2'),
    check: fc.constantFrom('cpu', 'disk', 'http'),
    status: fc.constantFrom(0, 1, 2, 3),
    since: fc.integer({ min: 1000, max: 1005 }),
    silenced_by: fc.constantFrom<readonly string[]>([], ['a']),
    output: fc.constantFrom('HTTP 502', 'HTTP 404', 'disk full'),
    isInhibited: fc.boolean(),
  })
  .map(({ isInhibited, ...row }) =>
    anEventOf({ ...row, ...(isInhibited && { inhibited_by: { rule: 'rack', client: 'web-1', check: 'cpu' } }) }),
  );

type Step =
  | { readonly kind: 'put'; readonly row: EventRow }
  | { readonly kind: 'gone'; readonly key: string }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'sort'; readonly column: string; readonly reversed: boolean }
  | { readonly kind: 'fold'; readonly by: FoldCriterion }
  | { readonly kind: 'toggle'; readonly at: number }
  | { readonly kind: 'freeze' | 'thaw' | 'read' };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: rowArbitrary.map((row): Step => ({ kind: 'put', row })) },
  { weight: 3, arbitrary: rowArbitrary.map((row): Step => ({ kind: 'gone', key: eventKey(row.client, row.check) })) },
  fc.constantFrom('', 'web', 'status=crit').map((text): Step => ({ kind: 'filter', text })),
  fc.record({
    kind: fc.constant('sort' as const),
    column: fc.constantFrom('status', 'client', 'check', 'count', 'age', 'last'),
    reversed: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('fold' as const),
    by: fc.constantFrom(...BUILT_IN_FOLDINGS.map(({ by }) => by), 'client.rack'),
  }),
  { weight: 2, arbitrary: fc.nat(5).map((at): Step => ({ kind: 'toggle', at })) },
  fc.constantFrom<Step>({ kind: 'freeze' }, { kind: 'thaw' }, { kind: 'read' }),
);

function filterOf(text: string): Search | undefined {
  const search = parseSearch(text);
  if (search.kind === 'problem') throw new Error(search.message);
  return text === '' ? undefined : search;
}

function shownFolds({ order }: EventFolds): readonly FoldedRow[] {
  return order.slice(0, order.length);
}

/** Returns the rows that the folded list must have, computed from the list of single events. */
function expectedRows(registry: EventRegistry, folds: EventFolds, by: FoldCriterion): readonly string[] {
  const { valueOf, isMultiple = false } = foldingOf(by);
  const { compare, foldRank } = registry.sort;
  const groups = new Map<FoldValue, EventRecord[]>();
  for (const record of registry.order.slice(0, registry.order.length)) {
    for (const value of [valueOf(record)].flat()) {
      groups.set(value, [...(groups.get(value) ?? []), record]);
    }
  }
  const rankOf = (group: readonly EventRecord[]): number => foldRank?.({ size: group.length, first: group[0] }) ?? 0;
  const sorted = [...groups].toSorted(([valueA, a], [valueB, b]) => {
    const byRank = rankOf(a) - rankOf(b);
    if (byRank !== 0) return byRank;
    const [firstA, firstB] = [a[0], b[0]];
    const byFirst = firstA === undefined || firstB === undefined ? 0 : compare(firstA, firstB);
    return byFirst !== 0 ? byFirst : foldKey(valueA) < foldKey(valueB) ? -1 : 1;
  });
  return sorted.flatMap(([value, group]) => {
    const keys = group.map(({ key }) => key);
    if (group.length === 1 && !isMultiple) return keys;
    const fold = folds.fold(foldKey(value));
    return [foldKey(value)].concat(fold !== undefined && folds.isUnfolded(fold) ? keys : []);
  });
}

test('the folded list is the list of events with similar events in one row, after any changes', () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 60 }), (steps) => {
      const registry = new EventRegistry();
      const folds = new EventFolds(registry);
      let by: FoldCriterion = 'check';
      folds.setCriterion(by);
      for (const step of steps) {
        if (step.kind === 'put') registry.apply(eventKey(step.row.client, step.row.check), step.row, NOW_MS);
        if (step.kind === 'gone') registry.apply(step.key, null, NOW_MS);
        if (step.kind === 'filter') registry.setFilter(filterOf(step.text));
        if (step.kind === 'filter') folds.finishFilter(NOW_MS);
        if (step.kind === 'sort') registry.setSort(eventSort(step));
        if (step.kind === 'freeze') folds.freeze();
        if (step.kind === 'thaw') folds.thaw();
        if (step.kind === 'read') shownFolds(folds);
        if (step.kind === 'fold') {
          ({ by } = step);
          folds.setCriterion(by);
        }
        if (step.kind === 'toggle') {
          const row = shownFolds(folds)[step.at];
          if (row instanceof EventFold && !row.isRemoved) folds.toggle(row);
        }
      }
      folds.thaw();
      const rows = shownFolds(folds);
      expect(rows.map(({ key }) => key)).toEqual(expectedRows(registry, folds, by));
      for (const [index, { key }] of rows.entries()) expect(folds.order.indexOf(key)).toBe(index);
      expect(folds.eventCount).toBe(registry.order.length);
      for (const fold of rows.filter((row) => row instanceof EventFold)) {
        const events = fold.events().map(({ row }) => row);
        const active = events.filter(({ silenced_by: ids }) => ids.length === 0);
        expect(fold).toMatchObject({
          size: events.length,
          critical: active.filter(({ status }) => status === 2).length,
          warning: active.filter(({ status }) => status === 1).length,
          silenced: events.length - active.length,
          inhibited: active.filter((row) => row.inhibited_by !== undefined).length,
          clientCount: new Set(events.map(({ client }) => client)).size,
          times: {
            oldest: Math.min(...events.map(({ since }) => since)),
            newest: Math.max(...events.map(({ since }) => since)),
          },
        });
      }
    }),
  );
});

function foldsOf(by: FoldCriterion, ...rows: readonly EventRow[]): EventFolds {
  const registry = new EventRegistry();
  for (const row of rows) registry.apply(eventKey(row.client, row.check), row, NOW_MS);
  const folds = new EventFolds(registry);
  folds.setCriterion(by);
  return folds;
}

describe('a fold', () => {
  test('a fold has the worst status, the newest change and the number of its events', () => {
    const folds = foldsOf(
      'check',
      anEventRow({ client: 'a', check: 'http', status: 1, since: 300, output: 'slow' }),
      anEventRow({ client: 'b', check: 'http', status: 2, since: 100, output: 'HTTP 502' }),
      anEventRow({ client: 'c', check: 'http', status: 2, since: 900, silenced_by: ['x'] }),
    );
    expect(shownFolds(folds).map(({ row }) => row)).toMatchObject([
      { status: 2, since: 900, occurrences: 3, output: 'HTTP 502', silenced_by: [] },
    ]);
  });

  test('a fold whose events are all silenced is silenced', () => {
    const folds = foldsOf(
      'check',
      anEventRow({ client: 'a', check: 'http', silenced_by: ['x'] }),
      anEventRow({ client: 'b', check: 'http', silenced_by: ['y'] }),
    );
    expect(shownFolds(folds)[0]?.row.silenced_by).toHaveLength(1);
  });

  test('folds with the same severity are sorted by size, the largest first', () => {
    const folds = foldsOf(
      'check',
      anEventRow({ client: 'a', check: 'new', since: 900 }),
      ...['a', 'b', 'c'].map((client) => anEventRow({ client, check: 'large', since: 100 })),
      ...['a', 'b'].map((client) => anEventRow({ client, check: 'small', since: 200 })),
      ...['d', 'e', 'f', 'g'].map((client) => anEventRow({ client, check: 'warning', status: 1 })),
    );
    expect(shownFolds(folds).map(({ key }) => key)).toEqual(['fold large', 'fold small', 'a/new', 'fold warning']);
  });

  test('inhibited events are folded under the event that inhibits them', () => {
    const by = { rule: 'rack', client: 'sw-1', check: 'uplink' };
    const folds = foldsOf(
      'cause',
      anEventRow({ client: 'sw-1', check: 'uplink' }),
      anEventRow({ client: 'web-1', check: 'ping', inhibited_by: by }),
      anEventRow({ client: 'web-2', check: 'ping', inhibited_by: by }),
      anEventRow({ client: 'db-1', check: 'disk', status: 1 }),
    );
    expect(shownFolds(folds).map(({ key }) => key)).toEqual(['fold sw-1/uplink', 'db-1/disk']);
    expect(shownFolds(folds)[0]).toMatchObject({ cause: { client: 'sw-1', check: 'uplink' }, inhibited: 2, size: 3 });
  });

  test('an event is in the fold of each subscription of its client, but only one fold is unfolded at a time', () => {
    const folds = foldsOf('subscription', anEventOf({ client: 'web-1' }), anEventOf({ client: 'db-1' }));
    expect(
      shownFolds(folds)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['fold db', 'fold linux', 'fold web']);
    for (const name of ['linux', 'web']) {
      const fold = folds.fold(`fold ${name}`);
      if (fold !== undefined) folds.toggle(fold);
    }
    expect(
      shownFolds(folds)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['fold db', 'fold linux', 'fold web', 'web-1/http-frontend']);
  });

  test('events can be folded by any attribute of the client, and events without it are one fold', () => {
    const folds = foldsOf(
      'client.rack',
      ...['web-1', 'db-1', 'web-2'].map((client) => anEventOf({ client })),
      ...['a', 'b'].map((client) => anEventRow({ client })),
    );
    expect(
      shownFolds(folds)
        .map((row) => (row instanceof EventFold ? row.name : row.key))
        .toSorted(),
    ).toEqual(['no rack', 'rack=r1', 'web-2/http-frontend']);
  });

  test('while sorting is paused, an empty fold stays with its last data', () => {
    const registry = new EventRegistry();
    const rows = ['a', 'b'].map((client) => anEventRow({ client }));
    for (const row of rows) registry.apply(eventKey(row.client, row.check), row, NOW_MS);
    const folds = new EventFolds(registry);
    folds.setCriterion('check');
    folds.freeze();
    const [fold] = shownFolds(folds);
    for (const row of rows) registry.apply(eventKey(row.client, row.check), null, NOW_MS);
    folds.mergeInserted();
    expect([shownFolds(folds)[0], fold?.isRemoved, fold?.row.check]).toEqual([fold, true, 'http-frontend']);
    folds.thaw();
    expect(shownFolds(folds)).toEqual([]);
  });
});
