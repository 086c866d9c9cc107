import { beforeEach, describe, expect, test } from 'vitest';
import type { ClientDetail } from '../../../../shared/schemas/check-summary.ts';
import { inspectBody } from '../../../../tui/screens/inspect/body.ts';
import type { InspectLayer, SubjectData } from '../../../../tui/state/layers/inspect.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { byKey, openRig } from '../../../support/console-rig.ts';
import { aClientRow, anEventRow } from '../../../support/feed-rows.ts';

type Check = ClientDetail['checks'][number];

function aCheck(name: string, status: number, executed: number, changes: Partial<Check> = {}): Check {
  const output = `${name} said`;
  return { name, status, executed, history: [status], output, interval: 60, event: null, next_run: null, ...changes };
}

const CHECKS = [
  aCheck('cpu', 0, 100, { next_run: 400 }),
  aCheck('disk', 2, 300),
  aCheck('http', 1, 200, { output: 'connect timeout' }),
];

function aClient(checks: Check[]): SubjectData {
  return {
    kind: 'client',
    detail: {
      client: { name: 'a', address: '192.0.2.1', subscriptions: ['client:a'], timestamp: 100, version: '1.0.0' },
      checks,
    },
  };
}

const CLIENT = aClient(CHECKS);

const AGGREGATE: SubjectData = {
  kind: 'aggregate',
  summary: {
    clients: 3,
    checks: 2,
    results: { ok: 0, warning: 1, critical: 2, unknown: 0, total: 3, stale: 0, silenced: 0, down: 0 },
  },
  outputs: [
    {
      severity: 'critical',
      results: [{ check: 'disk', summary: [{ output: 'full', total: 2, clients: ['a', 'b'] }] }],
    },
    { severity: 'warning', results: [{ check: 'http', summary: [{ output: 'slow', total: 1, clients: ['c'] }] }] },
  ],
};

let driver: ConsoleDriver;

function open(
  view: string,
  subject: { readonly kind: 'client' | 'aggregate'; readonly name: string },
  data: SubjectData,
): void {
  driver.type(view);
  driver.pass(400);
  driver.type('\r');
  driver.store.answers.subjectLoaded(subject, data);
  driver.pass(10);
  driver.effects();
}

function layer(): InspectLayer {
  const top = driver.store.state.layers.findLast(({ kind }) => kind === 'inspect');
  if (top?.kind !== 'inspect') throw new Error('nothing is inspected');
  return top;
}

const shownKeys = (): readonly string[] => inspectBody(driver.store, layer()).rows.map(({ key }) => key);

beforeEach(() => {
  driver = new ConsoleDriver().goLive({
    clients: { a: aClientRow({ name: 'a' }) },
    events: byKey([anEventRow({ client: 'a', check: 'disk' }), anEventRow({ client: 'a', check: 'http', status: 1 })]),
  });
});

describe('the checks of a client', () => {
  beforeEach(() => open('5', { kind: 'client', name: 'a' }, CLIENT));

  test.each([
    ['', ['a/disk', 'a/http', 'a/cpu']],
    ['disk or cpu', ['a/disk', 'a/cpu']],
    ['status>=warn output~time*', []],
    ['status>=warn output~timeout', ['a/http']],
    ['!status=ok check~d*', ['a/disk']],
    // An invalid filter hides nothing and shows an error.
    ['status>=bad', ['a/disk', 'a/http', 'a/cpu']],
  ])('the checks of a client are filtered with the key / as in lists: %s', (filter, expected) => {
    driver.type(`/${filter}\r`);
    expect(shownKeys()).toEqual(expected);
  });

  test('Esc clears the marks of the page of a client, then the filter, then closes the page', () => {
    driver.type('/disk\ra');
    expect([...layer().marks]).toEqual(['a/disk']);
    driver.escape();
    expect([layer().marks.size, shownKeys()]).toEqual([0, ['a/disk']]);
    driver.escape();
    expect(shownKeys()).toHaveLength(3);
    driver.escape();
    expect(driver.store.state.layers).toEqual([]);
  });

  test('the checks of a client are sorted by any column in both directions, and again by severity', () => {
    driver.type('onext\r');
    expect(shownKeys()).toEqual(['a/cpu', 'a/disk', 'a/http']);
    driver.type('ocheck\r');
    expect([layer().sort, shownKeys()]).toEqual([{ column: 'name', reversed: false }, ['a/cpu', 'a/disk', 'a/http']]);
    driver.type('O');
    expect(shownKeys()).toEqual(['a/http', 'a/disk', 'a/cpu']);
    driver.type('>');
    expect([layer().sort?.column, shownKeys()]).toEqual(['age', ['a/disk', 'a/http', 'a/cpu']]);
    driver.type('<<');
    expect(layer().sort?.column).toBe('status');
    driver.type('oworst\r');
    expect(layer().sort).toBeUndefined();
  });

  test('an action on marked checks of a client applies to all of them that have events', () => {
    driver.type('  ');
    expect([[...layer().marks], layer().cursor.key]).toEqual([['a/disk', 'a/http'], 'a/cpu']);
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      kind: 'silence',
      form: { targets: [{ key: 'a/disk' }, { key: 'a/http' }] },
    });
    driver.escape();
    driver.type('Aa');
    driver.type('r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'confirm', title: 'Resolve 2 events' });
  });

  test('marks of a client disappear with their checks, and the next key does not apply to the row under the cursor', () => {
    driver.type(' ');
    driver.store.answers.subjectLoaded({ kind: 'client', name: 'a' }, aClient(CHECKS.slice(2)));
    driver.pass(10);
    expect([layer().marks.size, layer().cursor.key]).toEqual([0, 'a/http']);
    driver.type('r');
    expect(driver.message).toContain('the list has just moved');
    driver.type('r');
    expect(driver.effects()).toMatchObject([{ kind: 'change', change: { verb: 'resolve' } }]);
  });

  test('the menu of actions applies to the marked checks of a client even if the checks have disappeared', () => {
    driver.type(' x');
    driver.store.answers.subjectLoaded({ kind: 'client', name: 'a' }, aClient(CHECKS.slice(2)));
    driver.pass(1000);
    driver.type('resolve marked\r');
    expect(driver.message).toBe('there is no open event here to resolve');
  });

  test('the page of a client has a menu with the actions of its checks', () => {
    driver.type(' xack\r');
    expect(driver.effects()).toMatchObject([{ kind: 'change', change: { verb: 'acknowledge' } }]);
  });
});

describe('the outputs of an aggregate', () => {
  beforeEach(() => {
    driver.store.answers.viewLoaded('aggregates', [{ name: 'web', clients: 0, checks: 0, results: AGGREGATE_RESULTS }]);
    open('4', { kind: 'aggregate', name: 'web' }, AGGREGATE);
  });

  test('the outputs of an aggregate are filtered and sorted together with their members', () => {
    driver.type('\r');
    expect(shownKeys()).toEqual(['critical disk full', 'a/disk', 'b/disk', 'warning http slow']);
    driver.type('/client=b\r');
    expect(shownKeys()).toEqual(['critical disk full', 'a/disk', 'b/disk']);
    driver.escape();
    driver.type('/clients<2\r');
    expect(shownKeys()).toEqual(['warning http slow']);
    driver.escape();
    driver.type('oclients\rO');
    expect(shownKeys()).toEqual(['warning http slow', 'critical disk full', 'a/disk', 'b/disk']);
  });

  test('an action on a marked output and its marked members applies to each member once', () => {
    driver.type('\ra');
    driver.type('R');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      kind: 'confirm',
      title: expect.stringContaining('2 checks'),
    });
  });
});

const AGGREGATE_RESULTS = { ok: 1, warning: 1, critical: 2, unknown: 0, total: 4, stale: 0, silenced: 0, down: 0 };

test('the page of a client counts shown and marked checks and shows the problem of an invalid filter', async () => {
  const rig = await openRig({
    columns: 80,
    rows: 24,
    snapshot: { clients: { a: aClientRow({ name: 'a' }) } },
    api: () => ({ status: 200, body: CLIENT.kind === 'client' ? CLIENT.detail : {} }),
  });
  await rig.shows('LIVE');
  rig.type('5\r');
  await rig.shows('3 checks', 'disk said');
  rig.type('/disk or nope=1');
  await rig.shows('there is no field "nope"');
  rig.type('\u007F'.repeat(10));
  await rig.shows('1 found', '1 of 3 checks');
  rig.type('\r ');
  await rig.shows('filter: disk', '1 marked', /^>\* ✗ CRIT/m);
  expect(rig.screen.text).not.toContain('cpu said');
});
