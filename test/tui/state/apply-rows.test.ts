import { expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const rows = { events: byKey([anEventRow()]) };

test('a part of a snapshot waits for the frame of the second, the whole of it and what comes then do not', () => {
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
