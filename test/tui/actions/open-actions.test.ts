import { expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { aClientRow, aSilencedRow, anEventRow } from '../../support/feed-rows.ts';

const ROWS = {
  events: {
    'a/http': anEventRow({ client: 'a', check: 'http', since: 2 }),
    'b/ping': anEventRow({ client: 'b', check: 'ping', since: 1 }),
  },
  clients: { a: aClientRow({ name: 'a' }), b: aClientRow({ name: 'b' }) },
  silenced: { 'a:*': aSilencedRow({ id: 'a:*' }), 'b:*': aSilencedRow({ id: 'b:*' }) },
};

test.each([
  { view: 'events', keys: '2', opened: { kind: 'detail', target: { key: 'b/ping' } } },
  { view: 'silences', keys: '3', opened: { kind: 'silence-entry', id: 'b:*' } },
  { view: 'clients', keys: '5', opened: { kind: 'inspect', subject: { kind: 'client', name: 'b' } } },
])('Enter opens the row under the cursor in the $view, even if another row is marked', ({ keys, opened }) => {
  const driver = new ConsoleDriver().goLive(ROWS);
  driver.type(keys);
  driver.pass(500);
  driver.type(' \r');
  expect(driver.store.list.marks.size).toBe(1);
  expect(driver.store.state.layers).toMatchObject([opened]);
});

test('the key x on the screen of an event opens the menu of the actions that work on this event', () => {
  const driver = new ConsoleDriver().goLive(ROWS);
  driver.type('\rx');
  const [detail, menu] = driver.store.state.layers;
  expect(detail).toMatchObject({ kind: 'detail', target: { key: 'a/http' } });
  if (menu?.kind !== 'menu') throw new Error('no menu is open');
  const ids = menu.items('').map(({ id }) => id);
  expect(menu.title).toBe('a/http');
  expect(ids).toEqual(expect.arrayContaining(['silence', 'acknowledge', 'resolve', 'explain', 'timeline', 'copy']));
  expect(ids).not.toContain('fold');
  driver.type('acknowledge\r');
  expect(driver.effects()).toMatchObject([{ kind: 'load-event' }, { kind: 'change', change: { verb: 'acknowledge' } }]);
});
