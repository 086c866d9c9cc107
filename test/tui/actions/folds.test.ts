import { describe, expect, test } from 'vitest';
import { CLIENT_ATTRIBUTES } from '../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { presentView } from '../../../tui/actions/saved-views.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';

const FOLD = 'F\r';

/** Returns events of the check http on `count` clients, the newest on the first client. */
function httpOn(count: number, about: Partial<EventRow> = {}): readonly EventRow[] {
  return Array.from({ length: count }, (_, index) =>
    anEventRow({ client: `web-${String(index).padStart(3, '0')}`, check: 'http', since: 2000 - index, ...about }),
  );
}

const DISK = anEventRow({ client: 'db-1', check: 'disk', status: 1 });

/** Adds the attributes of its client to an event. */
function withAttributes(row: EventRow): EventRow {
  const attributes: Readonly<Record<string, readonly string[]>> = { subscriptions: ['web'], rack: ['r20'] };
  const set = { id: '', names: Object.keys(attributes), texts: (name: string) => attributes[name] ?? [] };
  return { ...row, [CLIENT_ATTRIBUTES]: set };
}

function open(
  events: readonly EventRow[],
  size: { readonly columns?: number; readonly rows?: number } = {},
): ConsoleDriver {
  const clients = Object.fromEntries(
    events.map(({ client }) => [client, aClientRow({ name: client, subscriptions: ['web', `client:${client}`] })]),
  );
  return new ConsoleDriver(size).goLive({ events: byKey(events.map(withAttributes)), clients });
}

function top(driver: ConsoleDriver): unknown {
  return driver.store.state.layers.at(-1);
}

const underCursor = ({ store }: ConsoleDriver): string | undefined => store.list.cursor.key;

describe('folding the list of events', () => {
  test('the key F and Enter fold the list by check, and show single events again', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(FOLD);
    expect(driver.list).toEqual(['fold http', 'db-1/disk']);
    driver.type(FOLD);
    expect(driver.list).toHaveLength(4);
  });

  test.each([
    ['check', ['fold http', 'db-1/disk']],
    ['output', [expect.stringMatching(/^fold \d+$/), 'db-1/disk']],
    ['cause', ['web-000/http', 'web-001/http', 'db-1/disk']],
    ['subscription', ['fold web']],
    ['client.rack', ['fold r20']],
    ['rack', ['fold r20']],
    ['off', ['web-000/http', 'web-001/http', 'db-1/disk']],
  ])('the command :fold %s folds the list', (by, rows) => {
    const [one, two] = httpOn(2, { output: 'HTTP 502 after 1.2s' });
    const driver = open([one, { ...two, output: 'HTTP 502 after 1.4s' }, { ...DISK, output: 'full' }] as EventRow[]);
    driver.type(`:fold ${by}\r`);
    expect(driver.list).toEqual(rows);
  });

  test('the command :fold says why events cannot be folded by a name', () => {
    const driver = open([DISK]);
    driver.type(':fold chek\r');
    expect(top(driver)).toMatchObject({ problem: expect.stringContaining('use check, output, cause') });
  });

  test('the menu of folds offers the attributes of the events', () => {
    const driver = open([...httpOn(2), DISK]);
    driver.type('Frack\r');
    expect(driver.list).toEqual(['fold r20']);
  });

  test('Enter unfolds a fold and Esc folds it again, with the cursor on it', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`${FOLD}\r`);
    expect(driver.list).toEqual(['fold http', 'web-000/http', 'web-001/http', 'web-002/http', 'db-1/disk']);
    driver.type('jj');
    expect(underCursor(driver)).toBe('web-001/http');
    driver.escape();
    driver.pass(1000);
    expect([driver.list, underCursor(driver)]).toEqual([['fold http', 'db-1/disk'], 'fold http']);
  });

  test('Enter opens an event of an unfolded fold', () => {
    const driver = open(httpOn(3));
    driver.type(`${FOLD}\rjj\r`);
    expect(top(driver)).toMatchObject({ kind: 'detail', target: { key: 'web-001/http' } });
  });

  test('the cursor stays on its event when the list is folded, and on its fold when it is unfolded', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`jjj${FOLD}`);
    expect(underCursor(driver)).toBe('db-1/disk');
    driver.type(`k${FOLD}`);
    expect(underCursor(driver)).toBe('web-000/http');
  });

  test('a filter shows only the matching events of each fold', () => {
    const driver = open([...httpOn(4), ...httpOn(2, { client: 'x' }), DISK]);
    driver.type(`/web\r${FOLD}`);
    expect(driver.store.folds.fold('fold http')?.size).toBe(4);
    driver.escape();
    driver.pass(1000);
    expect(driver.store.folds.fold('fold http')?.size).toBe(5);
  });

  test('a saved view remembers the fold', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(FOLD);
    const view = presentView(driver.store);
    expect(view).toMatchObject({ view: 'events', fold: 'check' });
    driver.store.update({ savedViews: new Map([['storm', view]]) });
    driver.type(`${FOLD}:view storm\r`);
    expect(driver.list).toEqual(['fold http', 'db-1/disk']);
  });
});

describe('actions on a fold', () => {
  test('a silence of a fold by check begins with the scope of the check on all clients', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`${FOLD}s`);
    expect(top(driver)).toMatchObject({ kind: 'silence', form: { scope: 'checks' } });
    driver.type('rolling back\u0013');
    expect(driver.effects()).toMatchObject([
      { change: { verb: 'silence', operations: [{ op: 'silence', check: 'http', expire_on_resolve: false }] } },
    ]);
  });

  test('a silence of a fold begins with a search while a filter hides some of its events', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`/client~web-00*\r${FOLD}s`);
    expect(top(driver)).toMatchObject({
      form: { scope: 'search', selector: { text: '(client~web-00*) check=http' } },
    });
  });

  test('a silence of a fold by subscription begins with the subscription', () => {
    const driver = open(httpOn(2));
    driver.type(':fold subscription\rs');
    expect(top(driver)).toMatchObject({ form: { scope: 'subscription', subscriptions: ['web'], subscription: 0 } });
  });

  test('a silence of a fold by attribute begins with a search for the attribute', () => {
    const driver = open(httpOn(2));
    driver.type(':fold rack\rs');
    expect(top(driver)).toMatchObject({ form: { scope: 'search', selector: { text: 'client.rack=r20' } } });
  });

  test('a fold is acknowledged only after its number of events was typed', () => {
    const driver = open([...httpOn(25), DISK]);
    driver.type(`${FOLD}K`);
    expect(top(driver)).toMatchObject({ kind: 'confirm', title: 'Acknowledge 25 events', typed: { expected: '25' } });
    driver.type('25\r');
    const [effect] = driver.effects();
    expect(effect).toMatchObject({ change: { verb: 'acknowledge' } });
    expect(effect?.kind === 'change' ? effect.change.operations.length : 0).toBe(25);
  });

  test.each([
    ['r', 'Resolve 3 events'],
    ['R', 'Run 1 check now'],
    ['D', 'Delete 3 events'],
    ['u', 'End the silence on 3 events'],
  ])('the key %s asks first about all events of a fold', (key, title) => {
    const silence = aSilencedRow({ id: 'silence', check: 'http', subscription: null });
    const driver = open(httpOn(3, { status: 1, silenced_by: key === 'u' ? ['silence'] : [] }));
    driver.change({ silenced: { silence } });
    driver.type(`${FOLD}${key}`);
    expect(top(driver)).toMatchObject({ kind: 'confirm', title });
  });

  test('an action on marked rows applies to each event once, also if its fold is marked', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`${FOLD}\raK`);
    expect(top(driver)).toMatchObject({ title: 'Acknowledge 4 events' });
  });

  test('an action on a fold leaves out events that joined it after the last frame', () => {
    const driver = open(httpOn(2));
    driver.type(FOLD);
    driver.change({ events: byKey(httpOn(3)) });
    driver.type('r');
    expect(top(driver)).toMatchObject({ kind: 'confirm', lines: expect.not.arrayContaining(['web-002/http']) });
    driver.escape();
    driver.pass(1000);
    driver.type('r');
    expect(top(driver)).toMatchObject({ kind: 'confirm', lines: expect.arrayContaining(['web-002/http']) });
  });

  test('a silence on the screen of an event begins with that event, although the list is folded', () => {
    const driver = open([...httpOn(1), DISK]);
    driver.type(FOLD);
    driver.type('g\r');
    expect(top(driver)).toMatchObject({ kind: 'detail' });
    driver.change({ events: byKey(httpOn(2)) });
    driver.pass(1000);
    expect(underCursor(driver)).toBe('fold http');
    driver.type('s');
    expect(top(driver)).toMatchObject({ kind: 'silence', form: { scope: 'pairs' } });
  });

  test('marks of a fold become marks of its events when the list is unfolded', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`${FOLD} ${FOLD}`);
    expect([...driver.store.list.marks]).toEqual(['web-000/http', 'web-001/http', 'web-002/http']);
  });

  test.each(['y', 'W', 'i', 'B', 'b', 'c'])(
    'the key %s for a single event says that the cursor is on a fold',
    (key) => {
      const driver = open(httpOn(3));
      driver.type(`${FOLD}${key}`);
      expect([driver.message, top(driver)]).toEqual([
        `${key} is for one event: Enter shows the 3 events of this row`,
        undefined,
      ]);
    },
  );

  test('the key t shows the events of a fold as bars on one time axis', () => {
    const driver = open([...httpOn(3), DISK]);
    driver.type(`${FOLD}t`);
    expect(top(driver)).toMatchObject({ kind: 'incident', id: expect.stringContaining('web-002/http') });
  });

  test('a key that was meant for a single event does not act on the fold that it has just joined', () => {
    const [one, two] = httpOn(2, { status: 1 });
    const driver = open([one, DISK].flatMap((row) => row ?? []));
    driver.type(`${FOLD}j`);
    expect(underCursor(driver)).toBe('web-000/http');
    driver.pass(1000);
    driver.change({ events: { 'web-001/http': two ?? null } });
    driver.pass(100);
    driver.type('r');
    expect(driver.message).toContain('the cursor is now on http (2 events); press the key again');
  });
});

describe('many events', () => {
  test('a silence of more than a thousand marked events offers only the scopes that work', () => {
    const driver = open([...httpOn(1200), DISK]);
    driver.type('/http\ras');
    expect(top(driver)).toMatchObject({ kind: 'silence', form: { scope: 'checks' } });
    driver.type('rolling back\u0013\u0013');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ op: 'silence', check: 'http' }] } }]);
  });

  test('a check with more events than the screen has rows is offered as a fold', () => {
    const driver = open([...httpOn(25), DISK], { columns: 80, rows: 24 });
    expect(driver.store.events.largestCheck(driver.clock.now())).toEqual({ name: 'http', count: 25 });
  });
});
