import { expect, test } from 'vitest';
import { showRunbook } from '../../../tui/actions/runbook.ts';
import { targetOf } from '../../../tui/model/target.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const URL = 'https://wiki.example.com/disk';

/** Opens a console with two events and the cursor on the first one. */
function openConsole(): ConsoleDriver {
  const events = ['a', 'b'].map((client, at) => anEventRow({ client, check: 'disk', since: 1000 - at }));
  return new ConsoleDriver().goLive({ events: byKey(events) });
}

test('the link of a runbook is shown on the screen on which it was requested', () => {
  const driver = openConsole();
  driver.type('b');
  showRunbook(driver.store, targetOf('a/disk'), { url: URL });
  expect(driver.store.state.layers).toMatchObject([{ kind: 'menu', title: 'Runbook of a/disk' }]);
});

test.each([
  { what: 'the silence dialog is open', keys: 's', layers: ['silence'] },
  { what: 'a confirmation is open', keys: 'r', layers: ['confirm'] },
  { what: 'a filter is typed', keys: '/', layers: [] },
  { what: 'the cursor is on another event', keys: 'j', layers: [] },
])('a runbook that arrives while $what is shown as a message and receives no keys', ({ keys, layers }) => {
  const driver = openConsole();
  driver.type(`b${keys}`);
  showRunbook(driver.store, targetOf('a/disk'), { url: URL });
  expect(driver.store.state.layers.map(({ kind }) => kind)).toEqual(layers);
  expect(driver.message).toBe(`the runbook of a/disk: ${URL}`);
});
