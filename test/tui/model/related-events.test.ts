import { describe, expect, test } from 'vitest';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { matchesSearch, parseSearch } from '../../../shared/domain/search.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { EventRegistry } from '../../../tui/model/event-registry.ts';
import { rankOf } from '../../../tui/model/event-record.ts';
import { relationsOf, shownRelations, type RankedEvent } from '../../../tui/model/related-events.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const SINCE = 1000;
const SWITCH = anEventRow({ client: 'sw-1', check: 'uplink', since: SINCE });

function ranked(row: EventRow): RankedEvent {
  return { key: eventKey(row.client, row.check), row, rank: rankOf(row) };
}

function relations(
  row: EventRow,
  others: readonly EventRow[],
  subscriptions: Readonly<Record<string, readonly string[]>> = {},
): readonly string[] {
  const records = [row, ...others].map(ranked);
  const source = {
    records,
    find: (key: string) => records.find((record) => record.key === key),
    subscriptionsOf: (client: string) => subscriptions[client] ?? [],
  };
  const found = relationsOf(source, eventKey(row.client, row.check), row);
  return found.map(({ count, which, filter }) => `${String(count)} ${which}: ${filter}`);
}

describe('the events that are related to an event', () => {
  test('they are its cause, its consequences, and those of the same client, check, subscription or moment', () => {
    const inhibited_by = { rule: 'rack-dark', client: 'sw-1', check: 'uplink' };
    const others = [
      anEventRow({ client: 'sw-1', check: 'ping', since: 1 }),
      anEventRow({ client: 'sw-2', check: 'uplink', since: 2 }),
      anEventRow({ client: 'web-1', check: 'http', since: 3, inhibited_by }),
      anEventRow({ client: 'web-2', check: 'http', since: 4, inhibited_by }),
      anEventRow({ client: 'db-1', check: 'disk', since: SINCE + 120 }),
      anEventRow({ client: 'db-2', check: 'disk', since: SINCE - 121 }),
    ];
    const subscriptions = { 'sw-1': ['client:sw-1', 'network', 'all'], 'sw-2': ['network', 'all'], 'db-1': ['all'] };
    expect(relations(SWITCH, others, subscriptions)).toEqual([
      '2 inhibited by it: inhibited_by="sw-1/uplink"',
      '1 on sw-1: client=sw-1',
      '1 of the check uplink: check=uplink',
      // The subscriptions with the fewest events say the most. The other event of sw-1 has them too.
      '2 of the subscription network: subscriptions=network',
      '3 of the subscription all: subscriptions=all',
      '1 that began within 2 minutes of it: since>=1970-01-01T00:14:40Z since<=1970-01-01T00:18:40Z',
    ]);
    const web = anEventRow({ client: 'web-1', check: 'http', since: 3, inhibited_by });
    expect(relations(web, [SWITCH])).toEqual(['1 that inhibits it by rack-dark: client=sw-1 check=uplink']);
  });

  test('an event without related events has no relations', () => {
    expect(relations(SWITCH, [anEventRow({ client: 'db-1', check: 'disk', since: 1 })])).toEqual([]);
  });

  test('a relation lists its three worst events', () => {
    const others = [2, 1, 2, 1, 2].map((status, index) =>
      anEventRow({ client: 'sw-1', check: `c${String(index)}`, status, since: index + 1 }),
    );
    const records = [SWITCH, ...others].map(ranked);
    const source = { records, find: () => undefined, subscriptionsOf: () => [] };
    const [onClient] = relationsOf(source, eventKey('sw-1', 'uplink'), SWITCH);
    expect(onClient?.first.map(({ row }) => row.check)).toEqual(['c4', 'c2', 'c0']);
    expect(onClient?.count).toBe(5);
  });

  test('the filter of the events that began together finds exactly these events', () => {
    const [found] = relations(SWITCH, [anEventRow({ client: 'a', check: 'b', since: SINCE + 120 })]);
    const search = parseSearch(found?.split(': ').slice(1).join(': ') ?? '');
    if (search.kind === 'problem') throw new Error(search.message);
    const matching = [-121, -120, 0, 120, 121].filter((seconds) =>
      matchesSearch(search, anEventRow({ since: SINCE + seconds }), SINCE),
    );
    expect(matching).toEqual([-120, 0, 120]);
  });

  test('many events are searched over several frames, and the last result stays until the next search is complete', () => {
    const events = new EventRegistry();
    for (let index = 0; index < 50_000; index += 1) {
      const row = anEventRow({ client: `web-${String(index)}`, check: 'http' });
      events.apply(eventKey(row.client, row.check), row, 0);
    }
    const row = anEventRow({ client: 'web-0', check: 'http' });
    const ofCheck = (nowMs: number): number | undefined =>
      shownRelations({ events, clients: new Map(), nowMs }, 'web-0/http', row)?.find(({ kind }) => kind === 'check')
        ?.count;
    expect([1, 1, 2, 3].map(ofCheck)).toEqual([undefined, undefined, undefined, 49_999]);
    events.apply('web-1/http', null, 0);
    expect([1002, 1003, 1004, 1005].map(ofCheck)).toEqual([49_999, 49_999, 49_999, 49_998]);
  });
});
