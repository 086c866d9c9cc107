import { describe, expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';

function openConsole(): ConsoleDriver {
  const clients = [
    aClientRow({ name: 'db-1', subscriptions: ['rack:r20', 'client:db-1'] }),
    aClientRow({ name: 'web-1', subscriptions: ['rack:r20', 'web', 'client:web-1'] }),
  ];
  return new ConsoleDriver().goLive({
    events: byKey([anEventRow({ client: 'web-1', check: 'disk' })]),
    clients: Object.fromEntries(clients.map((row) => [row.name, row])),
    silenced: { '*:ntp': aSilencedRow({ id: '*:ntp', subscription: null, check: 'ntp' }) },
  });
}

function operations(driver: ConsoleDriver): readonly object[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? effect.change.operations : []));
}

function labels({ store }: ConsoleDriver): readonly string[] {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'menu' ? layer.items('').map(({ label }) => label) : [];
}

describe('the key n, which creates a silence without an event', () => {
  test('the menu of the key n offers a search, the subscriptions, the checks and the clients', () => {
    const driver = openConsole();
    driver.type('n');
    expect(labels(driver)).toEqual([
      'everything matching a search, now and later',
      'subscription:rack:r20  (2 clients)',
      'subscription:web  (1 client)',
      'check:disk',
      'db-1 / all checks',
      'web-1 / all checks',
    ]);
  });

  test.each(['1', '3', '5', '6', ':groups\r'])(
    'the key n opens the menu for a new silence in the view that %j opens',
    (view) => {
      const driver = openConsole();
      driver.type(`${view}n`);
      expect(labels(driver)[0]).toBe('everything matching a search, now and later');
    },
  );

  test('the key n can silence a subscription without any event', () => {
    const driver = openConsole();
    driver.type('3nr20\rrack maintenance\r');
    expect(operations(driver)).toMatchObject([
      { op: 'silence', subscription: 'rack:r20', reason: 'rack maintenance', expire_on_resolve: false },
    ]);
  });

  test('a new silence by search asks for the search first, and the dialog offers no other scope', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~db-*\t\t\t\track maintenance\r\r\r');
    expect(operations(driver)).toMatchObject([
      { op: 'silence', selector: 'client~db-*', reason: 'rack maintenance', expire_on_resolve: false },
    ]);
  });

  test('the key s in the list of checks silences a check on all clients or changes its existing silence', () => {
    const driver = openConsole();
    driver.type('6');
    driver.store.answers.viewLoaded('checks', [
      { name: 'disk', next_run: null },
      { name: 'ntp', next_run: null },
    ]);
    driver.pass(100);
    driver.type('splanned\r');
    expect(operations(driver)).toMatchObject([{ op: 'silence', check: 'disk', expire_on_resolve: false }]);
    driver.type('js');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence', form: { origin: { kind: 'change' } } });
  });
});
