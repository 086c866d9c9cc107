import { describe, expect, test } from 'vitest';
import type { ClientDetail } from '../../../../shared/schemas/check-summary.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import type { InspectLayer, SubjectData } from '../../../../tui/state/layers/inspect.ts';
import { inspectBody } from '../../../../tui/screens/inspect/body.ts';
import { inspectHead } from '../../../../tui/screens/inspect/lines.ts';
import { byKey } from '../../../support/console-rig.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../../support/feed-rows.ts';

const DISK_EVENT = anEventRow({ client: 'a', check: 'disk', status: 2 });

function openConsole(events: readonly EventRow[] = [DISK_EVENT], readOnly = false): ConsoleDriver {
  const clients = { a: aClientRow({ name: 'a' }), b: aClientRow({ name: 'b' }) };
  return new ConsoleDriver({ readOnly }).goLive({ clients, events: byKey(events) });
}

function aCheck(name: string, status: number): ClientDetail['checks'][number] {
  return {
    name,
    status,
    executed: 100,
    history: [0, status],
    output: 'said',
    interval: 60,
    event: null,
    next_run: null,
  };
}

function aClient(...checks: readonly ClientDetail['checks'][number][]): SubjectData {
  return {
    kind: 'client',
    detail: {
      client: { name: 'a', address: '192.0.2.1', subscriptions: ['client:a'], timestamp: 100, version: '1.0.0' },
      checks: [...checks],
    },
  };
}

const CLIENT_A = { kind: 'client', name: 'a' } as const;

/** Opens the client `a`, whose details the backend has sent. */
function onClient(driver = openConsole(), ...checks: readonly ClientDetail['checks'][number][]): ConsoleDriver {
  driver.type('5');
  driver.pass(400);
  driver.type('\r');
  driver.store.answers.subjectLoaded(
    CLIENT_A,
    aClient(...(checks.length > 0 ? checks : [aCheck('cpu', 0), aCheck('disk', 2)])),
  );
  driver.pass(10);
  driver.effects();
  return driver;
}

function layerOf(driver: ConsoleDriver): InspectLayer {
  const layer = driver.store.state.layers.findLast(({ kind }) => kind === 'inspect');
  if (layer?.kind !== 'inspect') throw new Error('nothing is inspected');
  return layer;
}

const keysOf = (driver: ConsoleDriver): readonly string[] =>
  inspectBody(driver.store, layerOf(driver)).rows.map(({ key }) => key);

describe('the page of a client', () => {
  test('the page of a client is loaded when it is opened, and every two seconds while it is the topmost page', () => {
    const driver = openConsole();
    driver.type('5');
    driver.pass(400);
    driver.type('\r');
    const load = { kind: 'load-subject', subject: CLIENT_A };
    expect(driver.effects()).toEqual([load]);
    driver.pass(10_000);
    expect(driver.effects()).toEqual([]);
    driver.store.answers.subjectLoaded(CLIENT_A, aClient());
    driver.pass(10);
    expect(driver.effects()).toEqual([load]);
    driver.store.answers.subjectLoaded(CLIENT_A, aClient());
    driver.type('?');
    driver.pass(10_000);
    expect(driver.effects()).toEqual([]);
  });

  test.each<{ name: string; attributes: object; line: string }>([
    { name: 'with a v1 agent', attributes: {}, line: '  warning after 2m, critical after 3m' },
    {
      name: 'with a v2 agent',
      attributes: { entity_class: 'agent', keepalive: { timeout: 40, ttl: 90 } },
      line: '  warning after 40s, critical after 1m30s',
    },
    {
      name: 'with a v2 agent without a critical threshold',
      attributes: { entity_class: 'agent', keepalive: { timeout: 40, ttl: 0 } },
      line: '  warning after 40s, never critical',
    },
  ])('the page of a client $name shows the keepalive thresholds', ({ attributes, line }) => {
    const driver = onClient();
    const data = aClient();
    if (data.kind !== 'client') throw new Error('it is no client');
    const { detail } = data;
    driver.store.answers.subjectLoaded(CLIENT_A, {
      kind: 'client',
      detail: { ...detail, client: { ...detail.client, ...attributes } },
    });
    const told = inspectHead(driver.store, layerOf(driver)).flatMap((runs) => runs.map(({ text }) => text));
    expect(told).toContain(line);
  });

  test('the page of a client lists the worst checks first and silenced checks last', () => {
    const silenced = {
      ...aCheck('ntp', 2),
      event: { id: 'x', action: 'create', status: 2, occurrences: 1, silenced_by: ['client:a'] },
    };
    const driver = onClient(
      openConsole(),
      aCheck('cpu', 0),
      silenced,
      aCheck('disk', 2),
      aCheck('swap', 1),
      aCheck('odd', 9),
    );
    expect(keysOf(driver)).toEqual(['a/disk', 'a/swap', 'a/odd', 'a/cpu', 'a/ntp']);
  });

  test('Enter on a check of a client opens its event, or its last result if there is no event', () => {
    const driver = onClient();
    driver.type('\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'detail', target: { key: 'a/disk' } });
    driver.escape();
    driver.type('j\r');
    expect(layerOf(driver).subject).toEqual({ kind: 'result', name: 'a/cpu' });
    driver.escape();
    expect(layerOf(driver).subject).toEqual(CLIENT_A);
  });

  test('the check under the cursor on the page of a client is silenced and resolved if it has an event', () => {
    const driver = onClient();
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence', form: { targets: [{ key: 'a/disk' }] } });
    driver.escape();
    driver.type('jr');
    expect(driver.message).toBe('there is no open event here to resolve');
    driver.type('kr');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'confirm', title: 'Resolve 1 event' });
  });

  test('the event under the cursor on the page of a client is acknowledged', () => {
    const driver = onClient();
    driver.type('K');
    expect(driver.effects()).toMatchObject([
      { kind: 'change', change: { verb: 'acknowledge', operations: [{ client: 'a', check: 'disk' }] } },
    ]);
    expect(driver.store.state.layers.at(-1)).toBe(layerOf(driver));
  });

  test('the cursor on the page of a client stays on its check when the order changes', () => {
    const driver = onClient();
    driver.store.answers.subjectLoaded(CLIENT_A, aClient(aCheck('cpu', 2), aCheck('disk', 0), aCheck('apt', 2)));
    driver.pass(10);
    expect([keysOf(driver), layerOf(driver).cursor]).toMatchObject([
      ['a/cpu', 'a/apt', 'a/disk'],
      { key: 'a/disk', index: 2 },
    ]);
  });

  test('a key on the page of a client applies to the drawn row, and to no row once that row is gone', () => {
    const driver = onClient();
    driver.store.answers.subjectLoaded(CLIENT_A, aClient(aCheck('cpu', 0)));
    expect(layerOf(driver).cursor.key).toBe('a/disk');
    driver.type('r');
    expect(driver.store.state.layers.at(-1)?.kind).toBe('inspect');
  });

  test.each(['K', 'r'])(
    'the key %s applies to a row that has just come under the cursor only when it is pressed again',
    (key) => {
      const warnings = ['disk', 'cpu', 'apt'].map((check) => anEventRow({ client: 'a', check, status: 1 }));
      const driver = onClient(openConsole(warnings), aCheck('disk', 1), aCheck('cpu', 1), aCheck('apt', 1));
      driver.type('j');
      driver.pass(1000);
      driver.store.answers.subjectLoaded(CLIENT_A, aClient(aCheck('disk', 1), aCheck('apt', 1)));
      driver.pass(100);
      driver.effects();
      driver.type(key);
      expect([driver.effects(), layerOf(driver).cursor.key]).toEqual([[], 'a/apt']);
      expect(driver.message).toContain('the cursor is now on a/apt; press the key again');
      driver.type(key);
      expect(driver.effects()).toMatchObject([{ change: { operations: [{ check: 'apt' }] } }]);
    },
  );

  test.each(['j', ' '])(
    'the key %j moves on from the row under the cursor even if a response has moved that row',
    (key) => {
      const driver = onClient(openConsole(), aCheck('disk', 1), aCheck('cpu', 1), aCheck('apt', 0));
      driver.store.answers.subjectLoaded(
        CLIENT_A,
        aClient(...['ntp', 'raid', 'swap'].map((name) => aCheck(name, 2)), aCheck('disk', 1), aCheck('cpu', 1)),
      );
      driver.type(key);
      expect(layerOf(driver).cursor).toMatchObject({ key: 'a/cpu', index: 4 });
    },
  );

  test('keys for rows and marks do nothing on the JSON page of a client', () => {
    for (const keys of ['y', ' y']) {
      const driver = onClient();
      driver.type(keys);
      driver.effects();
      for (const key of ['s', 'K', 'r', 'R', '\r']) {
        driver.type(key);
        expect(driver.store.state.layers.map(({ kind }) => kind)).toEqual(['inspect']);
      }
      expect(driver.effects().filter(({ kind }) => kind !== 'load-subject')).toEqual([]);
    }
  });

  test('the page of a client keeps its details if they cannot be loaded again', () => {
    const driver = onClient();
    driver.store.answers.subjectFailed(CLIENT_A, 'the backend is busy');
    driver.pass(10);
    expect(layerOf(driver).load).toMatchObject({ failure: 'the backend is busy', isLoading: false });
    expect(keysOf(driver)).toEqual(['a/disk', 'a/cpu']);
    driver.store.answers.subjectLoaded(CLIENT_A, undefined);
    expect(layerOf(driver).load.failure).toBe('there is no client with this name');
  });
});

describe('the deletion of clients', () => {
  test('the deletion of clients names what is deleted, selects Cancel, and deletes the named clients', () => {
    const driver = openConsole();
    driver.type('5');
    driver.pass(400);
    driver.type('aD');
    const layer = driver.store.state.layers.at(-1);
    expect(layer).toMatchObject({ kind: 'confirm', title: 'Delete 2 clients', focused: 'cancel' });
    expect(layer).toMatchObject({ lines: expect.arrayContaining(['a: resolves 1 open event', 'b: no open event']) });
    driver.type('\r');
    expect(driver.effects()).toEqual([]);
    driver.type('Dy');
    expect(driver.effects()).toEqual([{ kind: 'delete-clients', names: ['a', 'b'] }]);
  });

  test('a client can be deleted on its page, but not in read-only mode', () => {
    const driver = onClient();
    driver.type('Dy');
    expect(driver.effects()).toEqual([{ kind: 'delete-clients', names: ['a'] }]);
    const locked = onClient(openConsole([DISK_EVENT], true));
    locked.type('D');
    expect(locked.message).toContain('is disabled');
    expect(locked.effects()).toEqual([]);
  });
});

describe('the silencing of clients', () => {
  test('a silence of clients covers all of their checks, even checks without problems', () => {
    const driver = openConsole();
    driver.type('5');
    driver.pass(400);
    driver.type('js');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence', form: { origin: { kind: 'new' } } });
    driver.type('kernel update\u0013');
    expect(driver.effects()).toMatchObject([
      {
        kind: 'change',
        change: {
          verb: 'silence',
          operations: [
            {
              op: 'silence',
              subscription: 'client:b',
              reason: 'kernel update',
              expire: 3600,
              expire_on_resolve: false,
            },
          ],
        },
      },
    ]);
  });

  test('silencing a client that is already silenced changes the existing silence', () => {
    const driver = openConsole();
    const entry = aSilencedRow({ id: 'client:a:*', subscription: 'client:a', check: null });
    driver.change({ silenced: { [entry.id]: entry } });
    driver.type('5');
    driver.pass(400);
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      kind: 'silence',
      form: { origin: { kind: 'change', entries: [{ id: 'client:a:*' }] } },
    });
    driver.escape();
    driver.type('as');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      form: { origin: { kind: 'new', entries: [{ subscription: 'client:b' }] } },
    });
    expect(driver.message).toBe('1 client already silenced: unchanged');
  });
});

describe('the key R', () => {
  const CHECK = { name: 'disk', interval: 60, subscribers: ['linux', 'db'], command: 'check-disk', next_run: null };

  test('the key R runs checks on the subscribers that the confirmation names', () => {
    const driver = openConsole();
    driver.type('6');
    driver.pass(400);
    driver.store.answers.viewLoaded('checks', [CHECK]);
    driver.pass(10);
    driver.effects();
    driver.type('R');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      title: 'Run 1 check now',
      lines: expect.arrayContaining(['disk on linux, db']),
    });
    driver.type('y');
    expect(driver.effects()).toMatchObject([
      { kind: 'request-checks', orders: [{ check: 'disk', subscribers: ['linux', 'db'] }] },
    ]);
  });

  test('the key R runs the checks of marked events once each, only on the clients of the events', () => {
    const driver = openConsole([
      DISK_EVENT,
      anEventRow({ client: 'b', check: 'disk' }),
      anEventRow({ client: 'b', check: 'x' }),
    ]);
    driver.type('aRy');
    expect(driver.effects()).toMatchObject([
      {
        kind: 'request-checks',
        orders: [
          { check: 'disk', subscribers: ['client:a', 'client:b'] },
          { check: 'x', subscribers: ['client:b'] },
        ],
      },
    ]);
  });

  test('the key R runs the check of the shown event or of the row under the cursor', () => {
    const driver = openConsole();
    driver.type('\rRy');
    const order = { kind: 'request-checks', orders: [{ check: 'disk', subscribers: ['client:a'] }] };
    expect(driver.effects()).toContainEqual(order);
    const client = onClient();
    client.type('Ry');
    expect(client.effects()).toContainEqual(order);
  });

  test('the key R reconnects while there is no connection, and runs no check in a locked console', () => {
    const driver = openConsole();
    driver.store.connectionChanged({ kind: 'waiting', attempt: 1, retryAtMs: Infinity, reason: 'gone' });
    driver.type('R');
    expect(driver.effects()).toEqual([{ kind: 'reconnect' }]);
    const locked = openConsole([DISK_EVENT], true);
    locked.type('R');
    expect([locked.effects(), locked.store.state.layers]).toEqual([[], []]);
  });
});

describe('the page of an aggregate', () => {
  const WEB = { kind: 'aggregate', name: 'web' } as const;
  const summary = {
    clients: 3,
    checks: 1,
    results: { ok: 1, warning: 0, critical: 2, unknown: 0, total: 3, stale: 0, silenced: 0, down: 0 },
  };

  function onAggregate(): ConsoleDriver {
    const driver = openConsole();
    driver.type('4');
    driver.pass(400);
    driver.store.answers.viewLoaded('aggregates', [{ name: 'web', ...summary }]);
    driver.pass(10);
    driver.type('\r');
    driver.store.answers.subjectLoaded(WEB, {
      kind: 'aggregate',
      summary,
      outputs: [
        {
          severity: 'critical',
          results: [{ check: 'disk', summary: [{ output: 'full', total: 2, clients: ['a', 'b'] }] }],
        },
        { severity: 'ok', results: [{ check: 'disk', summary: [{ output: 'fine', total: 1, clients: ['c'] }] }] },
      ],
    });
    driver.pass(10);
    driver.effects();
    return driver;
  }

  test('the page of an aggregate lists its outputs, and Enter shows and hides the members of an output', () => {
    const driver = onAggregate();
    expect(keysOf(driver)).toEqual(['critical disk full', 'ok disk fine']);
    driver.type('\r');
    expect(keysOf(driver)).toEqual(['critical disk full', 'a/disk', 'b/disk', 'ok disk fine']);
    driver.type('\r');
    expect(keysOf(driver)).toEqual(['critical disk full', 'ok disk fine']);
  });

  test('an action on an output of an aggregate applies to its members, and silences those with an event', () => {
    const driver = onAggregate();
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence', form: { targets: [{ key: 'a/disk' }] } });
  });

  test('Enter on a member of an aggregate opens the event of the member', () => {
    const driver = onAggregate();
    driver.type('\rj\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'detail', target: { key: 'a/disk' } });
  });
});

test.each([
  {
    what: 'the page of a client',
    keys: ['5', '\r'],
    answer: ({ store }: ConsoleDriver) => store.answers.subjectLoaded(CLIENT_A, aClient()),
  },
  { what: 'a view', keys: ['6'], answer: ({ store }: ConsoleDriver) => store.answers.viewLoaded('checks', []) },
])('$what that is opened during a pause is loaded once and then does not change', ({ keys, answer }) => {
  const driver = openConsole();
  driver.type('p');
  for (const key of keys) {
    driver.type(key);
    driver.pass(400);
  }
  expect(driver.effects()).toHaveLength(1);
  answer(driver);
  driver.pass(60_000);
  expect(driver.effects()).toEqual([]);
  driver.type('p');
  expect(driver.effects()).toHaveLength(1);
});

test('the trend of the aggregates is collected in every view, but not while the feed is paused', () => {
  const driver = openConsole();
  const asked = (): number =>
    driver.store.takeEffects().filter((effect) => effect.kind === 'load-view' && effect.view === 'aggregates').length;
  expect(asked()).toBe(1);
  driver.store.answers.viewLoaded('aggregates', []);
  driver.pass(9999);
  expect(asked()).toBe(0);
  driver.pass(1);
  expect(asked()).toBe(1);
  driver.store.answers.viewLoaded('aggregates', []);
  driver.type('p');
  driver.pass(60_000);
  expect(asked()).toBe(0);
});
