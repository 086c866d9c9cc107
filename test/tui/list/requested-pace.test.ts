import { describe, expect, test } from 'vitest';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { requestedPace } from '../../../tui/list/requested-pace.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW = 1_767_225_600;
const keyOf = (index: number): string => eventKey(`web-${String(index)}`, 'http');
const rowOf = (index: number) => anEventRow({ client: `web-${String(index)}`, check: 'http', since: NOW - index });

function openList(count = 200): ConsoleDriver {
  const rows = Array.from({ length: count }, (_, index) => [keyOf(index), rowOf(index)] as const);
  return new ConsoleDriver().goLive({ events: Object.fromEntries(rows) });
}

const unfocused = (driver: ConsoleDriver): ConsoleDriver => {
  driver.type('\u001B[O');
  return driver;
};

const drawn = ({ store }: ConsoleDriver): readonly string[] => [...(requestedPace(store).full ?? [])];

const brief = (since: number, status = 2) => ({ status, action: 'create' as const, since, silenced_by: [] });

describe('the update rate that the console requests from the feed', () => {
  test('a focused console requests every change at once', () => {
    expect(requestedPace(openList().store)).toEqual({ ms: 0 });
  });

  test('a paused console requests changes once a second', () => {
    const driver = openList();
    driver.type('p');
    expect(requestedPace(unfocused(driver).store)).toEqual({ ms: 1000 });
  });

  test('an unfocused console requests the visible rows once a second', () => {
    const driver = unfocused(openList());
    const keys = drawn(driver);
    expect(requestedPace(driver.store).ms).toBe(1000);
    expect(keys.length).toBeLessThan(36);
    expect(keys).toEqual(driver.list.slice(0, keys.length));
  });

  test('an unfocused console also requests rows that brief changes move into or out of the visible window', () => {
    const driver = unfocused(openList());
    const before = drawn(driver);
    driver.store.rowsArrived(
      { events: {} },
      {
        replace: false,
        timeMs: undefined,
        brief: {
          events: { [keyOf(150)]: brief(NOW + 9), [keyOf(160)]: brief(NOW - 160, 1), [keyOf(2)]: brief(NOW, 1) },
        },
      },
    );
    driver.pass(1000);
    expect(drawn(driver).toSorted()).toEqual([...before, keyOf(150)].toSorted());
    expect(driver.list.indexOf(keyOf(150))).toBe(150);
    driver.change({ events: { [keyOf(150)]: anEventRow({ ...rowOf(150), since: NOW + 9 }) } });
    driver.pass(1000);
    expect([driver.list.indexOf(keyOf(150)), drawn(driver)[0]]).toEqual([0, keyOf(150)]);
  });

  test('a new event that arrives as a brief change is listed at once', () => {
    const driver = unfocused(openList());
    const about = { replace: false, timeMs: undefined, brief: { events: { 'db-1/disk': brief(NOW + 9) } } };
    driver.store.rowsArrived({ events: {} }, about);
    driver.pass(1000);
    expect([driver.list[0], driver.store.events.counts.critical, drawn(driver)[0]]).toEqual([
      'db-1/disk',
      201,
      'db-1/disk',
    ]);
  });

  test('the bell rings for a new critical event that arrives as a brief change, and not again for its full row', () => {
    const driver = unfocused(openList());
    const about = { replace: false, timeMs: undefined, brief: { events: { [keyOf(150)]: brief(NOW + 9, 1) } } };
    driver.store.rowsArrived({ events: {} }, about);
    const rings = (): number => driver.effects().filter(({ kind }) => kind === 'ring').length;
    expect(rings()).toBe(0);
    driver.pass(20_000);
    driver.store.rowsArrived({}, { ...about, brief: { events: { [keyOf(150)]: brief(NOW + 10) } } });
    expect(rings()).toBe(1);
    driver.pass(20_000);
    driver.change({ events: { [keyOf(150)]: anEventRow({ ...rowOf(150), since: NOW + 10 }) } });
    expect(rings()).toBe(0);
  });

  test.each([
    { title: 'another view', keys: '3' },
    { title: 'a filter', keys: '/web\r' },
    { title: 'a reversed order', keys: 'O' },
    { title: 'the help over the list', keys: '?' },
    { title: 'a filter that is being typed', keys: '/' },
  ])('an unfocused console with $title requests all changes once a second', ({ keys }) => {
    const driver = openList();
    driver.type(keys);
    driver.pass(2000);
    expect(requestedPace(unfocused(driver).store)).toEqual({ ms: 1000, full: undefined });
  });

  test('a key makes an unfocused console request every change at once', () => {
    const driver = unfocused(openList());
    driver.type('j');
    expect(requestedPace(driver.store)).toEqual({ ms: 0 });
  });
});
