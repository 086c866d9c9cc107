import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const critical = (client: string, about: Partial<EventRow> = {}) =>
  anEventRow({ client, check: 'disk', status: 2, ...about });

const SWITCH = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };

function openLive(rows: readonly EventRow[] = []): ConsoleDriver {
  const driver = new ConsoleDriver().goLive({ events: byKey(rows) });
  driver.store.takeEffects();
  return driver;
}

/** Returns how many times the bell rang since the last call. */
function rings({ store }: ConsoleDriver): number {
  return store.takeEffects().filter(({ kind }) => kind === 'ring').length;
}

describe('the bell', () => {
  test('the bell does not ring for the events of the first snapshot', () => {
    const driver = new ConsoleDriver().goLive({ events: byKey([critical('a'), critical('b')]) });
    expect(rings(driver)).toBe(0);
  });

  test.each([
    { name: 'a new critical event', before: undefined, after: critical('x'), count: 1 },
    { name: 'a warning that became critical', before: critical('x', { status: 1 }), after: critical('x'), count: 1 },
    { name: 'a new warning', before: undefined, after: critical('x', { status: 1 }), count: 0 },
    {
      name: 'another result of a critical event',
      before: critical('x'),
      after: critical('x', { occurrences: 2 }),
      count: 0,
    },
    {
      name: 'a new acknowledged event',
      before: undefined,
      after: critical('x', { acknowledged: { by: 'ada', at: 1 } }),
      count: 0,
    },
    {
      name: 'a new silenced event',
      before: undefined,
      after: critical('x', { silenced_by: ['a'] }),
      count: 0,
    },
    {
      name: 'a new inhibited event',
      before: undefined,
      after: critical('x', { inhibited_by: SWITCH }),
      count: 0,
    },
    {
      name: 'an event that is no longer inhibited',
      before: critical('x', { inhibited_by: SWITCH }),
      after: critical('x'),
      count: 1,
    },
    {
      name: 'an event whose silence ends',
      before: critical('x', { silenced_by: ['a'] }),
      after: critical('x'),
      count: 0,
    },
  ])('the bell rings $count times for $name', ({ before, after, count }) => {
    const driver = openLive(before === undefined ? [] : [before]);
    driver.change({ events: byKey([after]) });
    expect(rings(driver)).toBe(count);
  });

  test('the bell rings at most once in ten seconds, however many events are new', () => {
    const driver = openLive();
    for (let second = 0; second < 25; second += 1) {
      driver.change({ events: byKey([critical(`host-${String(second)}`)]) });
      driver.clock.advance(1000);
    }
    expect(rings(driver)).toBe(3);
  });

  test('the key m mutes the bell for fifteen minutes or until it is pressed again', () => {
    const driver = openLive();
    driver.type('m');
    driver.change({ events: byKey([critical('a')]) });
    driver.clock.advance(15 * 60_000 - 1);
    driver.change({ events: byKey([critical('b')]) });
    expect(rings(driver)).toBe(0);
    driver.clock.advance(1);
    driver.change({ events: byKey([critical('c')]) });
    expect(rings(driver)).toBe(1);
    driver.clock.advance(10_000);
    driver.type('mm');
    driver.change({ events: byKey([critical('d')]) });
    expect(rings(driver)).toBe(1);
  });

  test('the settings turn the bell into a bell with a desktop notification, only a notification, or nothing', () => {
    const driver = openLive();
    const ringsFor = (client: string, attention: { bell: boolean; notify: boolean }) => {
      driver.store.update({ attention: { ...driver.store.state.attention, ...attention } });
      driver.clock.advance(10_000);
      driver.change({ events: byKey([critical(client)]) });
      return driver.store.takeEffects().filter(({ kind }) => kind === 'ring');
    };
    expect(ringsFor('a\u001B]0;x\u0007', { bell: true, notify: true })).toEqual([
      { kind: 'ring', bell: true, notice: expect.stringMatching(/^critical: disk on a[^\u0000-\u001F]*$/) },
    ]);
    expect(ringsFor('b', { bell: false, notify: true })).toMatchObject([
      { bell: false, notice: 'critical: disk on b' },
    ]);
    expect(ringsFor('c', { bell: false, notify: false })).toEqual([]);
  });
});
