import { describe, expect, test, vi } from 'vitest';
import { byKey, eventOf, openRig, type RigOptions } from '../support/console-rig.ts';
import { silencePolicy } from '../support/silence-policy.ts';
import { FEED_HELLO, startFeedServer } from '../support/feed-server.ts';
import type { BulkRequest } from '../../shared/schemas/bulk.ts';
import { anEventRow, aSilencedRow } from '../support/feed-rows.ts';
import { eventKey } from '../../shared/domain/event-key.ts';

const A = anEventRow({ client: 'a', since: 20 });
const B = anEventRow({ client: 'b', since: 10 });

const accepting: NonNullable<RigOptions['api']> = ({ path, body }) => {
  if (path !== '/api/mon/v1/bulk') return { status: 404 };
  const { operations } = body as BulkRequest;
  return { status: 200, body: { results: operations.map(() => ({ ok: true })) } };
};

const oneEvent: NonNullable<RigOptions['api']> = ({ path }) =>
  path === '/events/a/http-frontend' ? { status: 200, body: eventOf(A, { output: 'first\nsecond' }) } : { status: 404 };

describe('requests of the console and the responses on its screen', () => {
  test('the console sends a new silence to the backend and shows the response', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) }, api: accepting });
    rig.type('sdisk swap\u0013');
    await rig.shows('1 silence created: a / http-frontend, ends at ');
    expect(rig.requests.filter(({ method }) => method === 'POST')).toEqual([
      {
        method: 'POST',
        path: '/api/mon/v1/bulk',
        body: {
          operations: [
            {
              op: 'silence',
              subscription: 'client:a',
              check: 'http-frontend',
              expire: 3600,
              expire_on_resolve: true,
              reason: 'disk swap',
              creator: 'alice@ops',
            },
          ],
          creator: 'alice@ops',
        },
      },
    ]);
  });

  test('the console sends the end of a silence to the backend and shows the response', async () => {
    const silenced = { ...A, silenced_by: ['client:a:http-frontend'] };
    const rig = await openRig({
      snapshot: { events: byKey([silenced]), silenced: { 'client:a:http-frontend': aSilencedRow() } },
      api: accepting,
    });
    rig.type('uy');
    await rig.shows('1 silence ended');
    expect(rig.requests).toContainEqual({
      method: 'POST',
      path: '/api/mon/v1/bulk',
      body: {
        operations: [{ op: 'clear', id: 'client:a:http-frontend', if_timestamp: aSilencedRow().timestamp }],
        creator: 'alice@ops',
      },
    });
  });

  test('the console sends a resolve to the backend and shows the response', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) }, api: accepting });
    rig.type('ary');
    await rig.shows('2 events resolved');
    expect(rig.requests.filter(({ path }) => path === '/api/mon/v1/bulk').map(({ body }) => body)).toEqual([
      {
        operations: [
          { op: 'resolve', client: 'a', check: 'http-frontend' },
          { op: 'resolve', client: 'b', check: 'http-frontend' },
        ],
        creator: 'alice@ops',
      },
    ]);
  });

  test('a resolve of an event that is already resolved counts as done', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: () => ({ status: 200, body: { results: [{ ok: false, error: 'not_found' }] } }),
    });
    rig.type('ry');
    await rig.shows('1 event resolved: a/http-frontend');
    expect(rig.quits).toBe(0);
  });

  test('a change of several silences names exactly the silences that failed, with the reason of each', async () => {
    const silences = ['client:a', 'client:b'].map((subscription) =>
      aSilencedRow({ id: `${subscription}:http-frontend`, subscription }),
    );
    const rig = await openRig({
      snapshot: {
        events: byKey([{ ...A, silenced_by: silences.map(({ id }) => id) }]),
        silenced: Object.fromEntries(silences.map((silence) => [silence.id, silence])),
      },
      api: () => ({ status: 200, body: { results: [{ ok: true }, { ok: false, error: 'changed' }] } }),
    });
    rig.type('uy');
    await rig.shows('1 of 2 silences ended');
    expect(rig.row('not ended')).toContain('b / http-frontend: it was changed meanwhile');
    expect(rig.row(' ended: a')).toContain('a / http-frontend');
    rig.type('\r');
    await rig.showsNo('not ended');
  });

  test('an undo sends the undo operation that the backend has returned, and only once', async () => {
    const undo = { op: 'clear', id: 'client:a:http-frontend', if_timestamp: 7 };
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: ({ path }) =>
        path === '/api/mon/v1/bulk' ? { status: 200, body: { results: [{ ok: true, undo }] } } : { status: 404 },
    });
    rig.type('K');
    await rig.shows('1 event acknowledged: a/http-frontend');
    rig.type('z');
    await rig.shows('ends the silence a / http-frontend');
    rig.type('y');
    await rig.shows('1 change undone');
    expect(rig.requests.findLast(({ method }) => method === 'POST')?.body).toEqual({
      operations: [undo],
      creator: 'alice@ops',
      undo: true,
    });
    rig.type('z');
    await rig.shows('nothing to undo');
  });

  test('an undo that did not reach the backend can be tried again', async () => {
    const undo = { op: 'clear', id: 'client:a:http-frontend', if_timestamp: 7 };
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: ({ body }) =>
        JSON.stringify(body ?? '').includes('"undo":true')
          ? { status: 503, body: { error: 'try again' } }
          : { status: 200, body: { results: [{ ok: true, undo }] } },
    });
    rig.type('K');
    await rig.shows('1 event acknowledged');
    rig.type('zy');
    await rig.shows('not undone: try again');
    rig.type('z');
    await rig.shows('ends the silence a / http-frontend');
    expect(rig.screen.text).toContain('Undo the last change');
  });

  test('a deletion resolves the event, deletes its result and cannot be undone', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: ({ method, path }) => {
        if (method === 'DELETE') return { status: 204 };
        return path === '/resolve' ? { status: 202, body: { issued: 1 } } : { status: 404 };
      },
    });
    rig.type('Dy');
    await rig.shows('1 event deleted: a/http-frontend');
    expect(rig.requests.filter(({ method }) => method !== 'GET')).toEqual([
      { method: 'POST', path: '/resolve', body: { client: 'a', check: 'http-frontend' } },
      { method: 'DELETE', path: '/results/a/http-frontend', body: undefined },
    ]);
    rig.type('z');
    await rig.shows('cannot be undone: 1 event deleted');
    expect(rig.screen.text).not.toContain('Undo the last change');
  });

  test('a failure message receives no key of an open dialog, and the log contains the whole message', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A, B]) },
      api: ({ path }) =>
        path === '/api/mon/v1/bulk'
          ? { status: 200, body: { results: [{ ok: true }, { ok: false, error: 'changed' }] } }
          : { status: 404 },
    });
    rig.type('ary');
    rig.type('swhy');
    await rig.shows('1 of 2 events resolved', /Reason \* +why/);
    expect(rig.screen.text).not.toContain('Close');
    rig.escape();
    rig.type('Lj\r');
    await rig.shows('not resolved: b/', 'it was changed meanwhile');
  });

  test('a deletion that failed is reported as not done', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: () => ({ status: 503, body: { error: 'try again' } }),
    });
    rig.type('Dy');
    await rig.shows('a/http-frontend not deleted: try again');
    rig.type('z');
    await rig.shows('nothing to undo: you changed nothing');
    expect(rig.screen.text).not.toContain('cannot be undone');
  });

  test('the silence dialog applies the silence policy of the backend', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: ({ path }) =>
        path === '/api/mon/v1/silence-policy'
          ? { status: 200, body: silencePolicy({ reason_pattern: 'CHG-*', max_expire: 900 }) }
          : { status: 404 },
    });
    rig.type('s');
    await rig.shows('not allowed: it must end within 15m', 'CHG-*');
    rig.type('why\u0013');
    await rig.shows('the reason must look like CHG-*');
    expect(rig.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('the console shows the error message of the backend unchanged', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([anEventRow({ client: 'a', status: 1 })]) },
      api: () => ({ status: 503, body: { error: 'the queue is full, try again' } }),
    });
    rig.type('r');
    await rig.shows('a/http-frontend not resolved: the queue is full, try again');
    expect(rig.screen.text).toContain('✗ 0 crit');
  });
});

describe('the detail of an event', () => {
  test('the detail of an event follows changes of the event without a key', async () => {
    let output = 'first output';
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: ({ path }) =>
        path === '/events/a/http-frontend' ? { status: 200, body: eventOf(A, { output }) } : { status: 404 },
    });
    rig.type('\r');
    await rig.shows('first output');
    output = 'second output';
    await rig.change({ events: byKey([{ ...A, status: 2, occurrences: 9, output }]) });
    await rig.pass(1000);
    await rig.shows('second output');
    expect(rig.screen.text).not.toContain('first output');
  });

  test('the detail of an event that cannot be loaded again stays readable and says why', async () => {
    let isDown = false;
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: (request) => (isDown ? { status: 503, body: { error: 'try again' } } : oneEvent(request)),
    });
    rig.type('\r');
    await rig.shows('second');
    isDown = true;
    await rig.change({ events: byKey([{ ...A, occurrences: 9 }]) });
    await rig.pass(1000);
    await rig.shows('second', 'cannot update: try again');
    isDown = false;
    await rig.pass(1000);
    await rig.showsNo('cannot update');
    expect(rig.screen.text).toContain('second');
  });

  test('the detail of an event shows when the backend requests the check again', async () => {
    const rig = await openRig({
      snapshot: { events: byKey([A]) },
      api: (request) =>
        request.path === '/api/mon/v1/checks/http-frontend'
          ? { status: 200, body: { name: 'http-frontend', interval: 60, next_run: FEED_HELLO.time / 1000 + 42 } }
          : oneEvent(request),
    });
    rig.type('\r');
    await rig.shows('next run');
    expect(rig.row('next run')).toContain('in 42s');
  });

  test('the detail of an event says when the event resolved and how long it was open, and stays on the screen', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A]) }, api: oneEvent });
    rig.type('\r');
    await rig.shows('second');
    await rig.change({ events: { 'a/http-frontend': null } });
    await rig.shows('event resolved: showing its last state', /✓ resolved 0s ago, after \d/);
    expect(rig.screen.text).toContain('second');
    await rig.pass(2000);
    await rig.shows('✓ resolved 2s ago');
  });

  test('the detail of an event names the other events of the client', async () => {
    const disk = anEventRow({ client: 'a', check: 'disk', status: 1, output: '91% used' });
    const rig = await openRig({ snapshot: { events: byKey([A, disk]) }, api: oneEvent });
    rig.type('\r');
    await rig.shows('1 event on a');
    expect(rig.screen.text).toContain('! WARN disk  91% used');
  });
});

describe('the connection', () => {
  test('a console that cannot connect shows the address, the reason and the time of the next attempt', async () => {
    const server = await startFeedServer();
    server.refuse(503);
    const rig = await openRig({ server });
    await rig.shows(`connecting to ${server.url}`, 'next attempt in 1 s; R tries now, q quits');
    server.refuse(undefined);
    rig.type('R');
    await server.connection(0);
    expect(server.attempts).toBe(2);
  });

  test('the console reconnects after a lost connection, applies missed changes, and keeps marks and filter', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) } });
    rig.type(' /http\r');
    await rig.shows('1 marked');
    (await rig.connection()).cut();
    await rig.shows('DISCONNECTED');
    rig.type('R');
    const again = await rig.server.connection(1);
    expect(await again.subscribed()).toMatchObject({ since: 1 });
    await rig.shows('LIVE');
    expect(rig.screen.text).toContain('1 marked');
    expect(rig.screen.text).toContain('filter: http');
  });

  test('a connection without frames is reported within a second, allows no change, and can resume', async () => {
    const server = await startFeedServer({
      answerPings: false,
      onSubscribe: (connection, { since }) =>
        connection.send(
          ...(since === undefined ? [{ type: 'snapshot' as const, seq: 7, rows: { events: byKey([A, B]) } }] : []),
          { type: 'live', seq: 7 },
        ),
    });
    const rig = await openRig({ server });
    await rig.shows('2 of 2 events shown');
    // After 15 s the second heartbeat is missing, and the connection counts as lost.
    await rig.pass(14_000);
    await rig.shows('LAGGING 14.0s', 'lag 14.0s');
    await rig.pass(1000);
    await rig.shows('DISCONNECTED');
    rig.type('K');
    await rig.shows('K is disabled');
    expect(rig.requests.filter(({ method }) => method === 'POST')).toEqual([]);

    rig.type('R');
    const again = await rig.server.connection(1);
    expect(await again.subscribed()).toMatchObject({ since: 7 });
    await rig.shows('LIVE');
    again.send({ type: 'changes', seq: 8, time: rig.clock.now(), rows: { events: { 'a/http-frontend': null } } });
    await rig.shows('1 of 1 event shown');
    expect(rig.screen.lines.filter((line) => line.includes('CRIT  '))).toHaveLength(1);
  });

  test('Ctrl-R requests a new snapshot from the backend', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) } });
    rig.type('\u0012');
    const again = await rig.server.connection(1);
    expect(await again.subscribed()).not.toHaveProperty('since');
    await rig.shows('LIVE');
  });

  test('the console reports a lagging feed when a frame arrives much later than earlier frames', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A]) } });
    await rig.pass(4000);
    await rig.send({ type: 'changes', seq: 2, time: rig.clock.now() - 3500, rows: { events: byKey([B]) } });
    await rig.shows('LAGGING 3.5s');
    expect(rig.screen.text).toContain('lag 3.5s');
  });
});

describe('the screen of the console', () => {
  test('the screen of the console follows the size of the terminal', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) } });
    for (const [columns, rows] of [
      [80, 24],
      [59, 15],
      [200, 50],
      [61, 17],
      [120, 36],
    ] as const) {
      rig.screen.resize(columns, rows);
      await rig.pass(100);
      const expected = columns < 60 ? 'keys need 60x16' : 'LIVE';
      await rig.shows(expected);
      expect(rig.screen.lines[0]).toContain('scripted');
    }
  });

  test('Ctrl-L redraws the whole screen', async () => {
    const rig = await openRig({ snapshot: { events: byKey([A, B]) } });
    await rig.shows('http-frontend');
    const before = rig.screen.text;
    rig.screen.feed('\u001B[5;1Hgarbage from somebody else\u001B[36;1H');
    await rig.screen.settled();
    expect(rig.screen.text).not.toBe(before);
    rig.type('\u000C');
    await rig.showsNo('garbage');
    expect(rig.screen.text).toBe(before);
  });

  test('the screen never shows control sequences from the output of a check', async () => {
    const output = 'ok\u001B[2J\u001B]0;owned\u0007\u009B31m\u202Etxt\u0007';
    const rig = await openRig({
      snapshot: { events: byKey([{ ...A, output }]) },
      api: () => ({ status: 200, body: eventOf({ ...A, output }, { command: output }) }),
    });
    rig.type('y');
    await rig.shows(/raw json/i);
    rig.type('y');
    await rig.shows('\\x1b[2J');
    expect([rig.screen.title, rig.screen.bells]).toEqual(['', 0]);
  });
});

describe('a console without the focus or in a pause', () => {
  test.each([
    { name: 'unfocused', away: '\u001B[O', back: '\u001B[I' },
    { name: 'paused', away: 'p', back: 'p' },
  ])('a console that is $name requests fewer frames of changes', async ({ away, back }) => {
    const server = await startFeedServer({
      hello: { ...FEED_HELLO, pace: true },
      onSubscribe: (connection) => {
        connection.send({ type: 'snapshot', seq: 1, rows: { events: byKey([A]) } }, { type: 'live', seq: 1 });
      },
    });
    const rig = await openRig({ server });
    await rig.shows('LIVE');
    const { received } = await rig.connection();
    rig.type(away);
    await vi.waitFor(() => expect(received.at(-1)).toEqual({ type: 'pace', ms: 1000 }));
    rig.type(back);
    await vi.waitFor(() => expect(received.at(-1)).toEqual({ type: 'pace', ms: 0 }));
  });

  test('an unfocused console requests drawn rows in full, counts brief changes, and loads the rows on focus', async () => {
    const since = A.since + 5;
    const key = eventKey(A.client, A.check);
    const server = await startFeedServer({
      hello: { ...FEED_HELLO, pace: true, brief: true },
      onSubscribe: (connection) => {
        connection.send({ type: 'snapshot', seq: 1, rows: { events: byKey([A]) } }, { type: 'live', seq: 1 });
      },
    });
    const rig = await openRig({ server });
    await rig.shows('LIVE');
    const connection = await rig.connection();
    rig.type('\u001B[O');
    await vi.waitFor(() => expect(connection.received.at(-1)).toEqual({ type: 'pace', ms: 1000, full: [key] }));
    const brief = { status: 1, action: 'create', since, silenced_by: [] } as const;
    connection.send({ type: 'changes', seq: 1, time: 1, rows: {}, brief: { events: { 'db-9/disk': brief } } });
    await vi.waitFor(() => {
      // Each focus report makes the console draw all changes that have arrived.
      rig.type('\u001B[O');
      expect(connection.received.at(-1)).toEqual({ type: 'pace', ms: 1000, full: [key, 'db-9/disk'] });
    });
    await rig.screen.settled();
    expect(rig.screen.text).toContain('1 warn');
    rig.type('\u001B[I');
    await vi.waitFor(() => expect(connection.received.at(-1)).toEqual({ type: 'pace', ms: 0 }));
    const row = anEventRow({ client: 'db-9', check: 'disk', ...brief, output: 'its whole row' });
    connection.send({ type: 'changes', seq: 2, time: 2, rows: { events: { 'db-9/disk': row } } });
    await rig.shows('its whole row');
  });
});
