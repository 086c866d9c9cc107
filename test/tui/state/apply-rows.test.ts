import { expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';

const rows = { events: byKey([anEventRow()]) };

test('a partial snapshot is drawn with the frame of the next second, and a complete snapshot is drawn at once', () => {
  const driver = new ConsoleDriver();
  const { store } = driver;
  store.connectionChanged({ kind: 'syncing' });
  store.rowsArrived(rows, { replace: true, timeMs: undefined });
  driver.frame();
  store.rowsArrived(rows, { replace: false, timeMs: undefined });
  expect(store.urgency).toBe('none');
  store.connectionChanged({ kind: 'live' });
  expect(store.urgency).toBe('rows');
  driver.frame();
  driver.change(rows);
  expect(store.urgency).toBe('rows');
});

test('the reminder of an expiring silence is shown once, when its backend sends it', () => {
  const driver = new ConsoleDriver();
  const { store } = driver;
  const logged = (): readonly string[] => store.log.newestFirst.map(({ text }) => text);
  const entry = aSilencedRow({
    id: '*:disk',
    subscription: null,
    check: 'disk',
    expire_at: store.options.now() / 1000 + 600,
  });
  const reminder_sent = { at: store.options.now() / 1000, events: 3 };
  driver.goLive({ silenced: { '*:disk': entry } });
  driver.change({ silenced: { '*:disk': { ...entry, reminder_sent } } });
  const line = 'silence check:disk expires in 10m (covers 3 events): extend it with e in the silences view';
  expect(logged()).toEqual([line]);
  driver.change({ silenced: { '*:disk': { ...entry, reminder_sent, reason: 'another' } } });
  expect(logged()).toEqual([line]);
});

test('a message names a silence by search by its selector', () => {
  const driver = new ConsoleDriver();
  const { store } = driver;
  const end = store.options.now() / 1000 + 600;
  const parts = { id: 'selector-0123456789abcdef', subscription: null, check: null, selector: 'env=prod' };
  const entry = aSilencedRow({ ...parts, expire_at: end });
  driver.goLive({ silenced: { [parts.id]: entry } });
  driver.change({ silenced: { [parts.id]: { ...entry, reminder_sent: { at: end - 600, events: 1 } } } });
  expect(store.log.newestFirst.map(({ text }) => text)).toEqual([
    'silence search env=prod expires in 10m (covers 1 event): extend it with e in the silences view',
  ]);
});

test.each([
  { view: 'silences', digit: '3', keys: ['a:*', 'b:*', 'c:*'] },
  { view: 'clients', digit: '5', keys: ['a', 'b', 'c'] },
])(
  'the cursor and the marks of the $view view stay on their rows while a snapshot is loaded again',
  ({ digit, keys }) => {
    const driver = new ConsoleDriver();
    const { store } = driver;
    const all = {
      silenced: Object.fromEntries(['a:*', 'b:*', 'c:*'].map((id) => [id, aSilencedRow({ id })])),
      clients: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, aClientRow({ name })])),
    };
    driver.goLive(all).type(digit);
    driver.pass(500);
    driver.type(' j');
    driver.pass(1000);
    const { cursor, marks } = store.list;
    expect([cursor.key, [...marks]]).toEqual([keys[2], [keys[0]]]);
    store.connectionChanged({ kind: 'syncing' });
    store.rowsArrived(rows, { replace: true, timeMs: undefined });
    driver.pass(1000);
    expect([store.list.cursor, store.list.marks, driver.list]).toEqual([cursor, marks, keys]);
    const { 'b:*': _, ...silenced } = all.silenced;
    const { b: __, ...clients } = all.clients;
    store.rowsArrived({ silenced, clients }, { replace: false, timeMs: undefined });
    store.connectionChanged({ kind: 'live' });
    driver.pass(1000);
    expect([store.list.cursor.key, store.list.marks, driver.list]).toEqual([keys[2], marks, [keys[0], keys[2]]]);
    expect([store.silenced.size, store.clients.size]).toEqual([2, 2]);
  },
);
