import { describe, expect, test } from 'vitest';
import { openRig, type RigOptions } from '../support/console-rig.ts';
import { aClientRow } from '../support/feed-rows.ts';

const CHECKS = [{ name: 'disk', interval: 60, subscribers: ['linux'], command: 'check-disk', next_run: null }];

/** Creates a backend whose list of checks can be made to fail. */
function checksBackend(): { isBroken: boolean; asked: number; readonly api: NonNullable<RigOptions['api']> } {
  const backend = {
    isBroken: false,
    asked: 0,
    api: ({ path }: { readonly path: string }) => {
      if (path !== '/api/mon/v1/checks') return { status: 404 };
      backend.asked += 1;
      return backend.isBroken ? { status: 503, body: { error: 'the queue is full' } } : { status: 200, body: CHECKS };
    },
  };
  return backend;
}

describe('a view that loads its rows', () => {
  test('a view keeps its rows after a failed request and shows their time and the reason', async () => {
    const backend = checksBackend();
    const rig = await openRig({ snapshot: { events: {} }, api: backend.api });
    rig.type('6');
    await rig.pass(400);
    await rig.shows('check-disk');
    backend.isBroken = true;
    await rig.pass(2000);
    await rig.shows('the queue is full');
    expect(rig.row('the queue is full')).toMatch(/^ as of 12:00:00Z: .*the queue is full/);
    expect(rig.screen.text).toContain('check-disk');
    backend.isBroken = false;
    await rig.pass(2000);
    await rig.showsNo('the queue is full');
    expect(backend.asked).toBe(3);
  });

  test('a view that has never loaded its rows says that they could not be loaded', async () => {
    const backend = checksBackend();
    backend.isBroken = true;
    const rig = await openRig({ columns: 80, rows: 24, snapshot: { events: {} }, api: backend.api });
    rig.type('6');
    await rig.pass(400);
    await rig.shows('Not loaded yet.', 'not loaded: ', 'the queue is full');
    expect(rig.screen.text).toContain('CHECK▼');
  });
});

describe('a table of the console', () => {
  test('a table of the console shows a lost connection and recovers', async () => {
    const rig = await openRig({ snapshot: { clients: { 'web-001': aClientRow() } } });
    rig.type('5');
    await rig.pass(400);
    await rig.shows('192.0.2.1');
    (await rig.connection()).cut();
    await rig.shows('DISCONNECTED', 'actions are disabled while disconnected');
    expect(rig.screen.text).toContain('web-001');
    rig.type('R');
    await rig.shows('LIVE');
  });

  test('an empty table of the console says why it is empty', async () => {
    const rig = await openRig({ snapshot: { events: {} } });
    rig.type('5');
    await rig.pass(400);
    await rig.shows('No clients yet.', 'mon-agent start --backend');
    expect(rig.row('shown')).toContain('0 of 0 clients shown');
  });

  test('an empty table of the console says that a filter is the reason', async () => {
    const rig = await openRig({ snapshot: { clients: { 'web-001': aClientRow() } } });
    rig.type('5/nothing-like-it\r');
    await rig.shows('None of the clients matches the filter.');
    expect(rig.row('shown')).toContain('0 of 1 client shown');
  });
});
