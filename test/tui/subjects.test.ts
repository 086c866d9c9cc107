import { describe, expect, test } from 'vitest';
import { anEventRow } from '../support/feed-rows.ts';
import { FEED_HELLO } from '../support/feed-server.ts';
import { byKey, openRig, type ConsoleRig, type RigOptions } from '../support/console-rig.ts';
import { SCENE } from '../support/console-scene.ts';
import { subjectApi } from '../support/subject-scene.ts';

async function onView(digit: string, text: string, api: RigOptions['api'] = subjectApi): Promise<ConsoleRig> {
  const rig = await openRig({ snapshot: SCENE, api });
  rig.type(digit);
  await rig.pass(400);
  await rig.shows(text);
  return rig;
}

test('the console runs a check on its subscribers in the name of its user', async () => {
  const rig = await onView('6', 'postgres-repl');
  rig.type('/postgres\rRy');
  await rig.shows('1 check requested: postgres-repl');
  expect(rig.requests).toContainEqual({
    method: 'POST',
    path: '/request',
    body: {
      check: 'postgres-repl',
      subscribers: ['db'],
      creator: 'alice@ops',
      reason: 'run now, from the console',
    },
  });
});

test('the console runs the check of an event only on the client of the event', async () => {
  const rig = await onView('2', 'postgres-repl');
  rig.type('Ry');
  await rig.shows('requested postgres-repl on db-014.eu-west-1, waiting for the result');
  expect(rig.requests).toContainEqual(
    expect.objectContaining({
      path: '/request',
      body: expect.objectContaining({ check: 'postgres-repl', subscribers: ['client:db-014.eu-west-1'] }),
    }),
  );
});

test('the console deletes clients, and a client that is already deleted is not an error', async () => {
  const rig = await onView('5', 'db-014', (request) =>
    request.method === 'DELETE' && request.path.includes('db-002') ? { status: 404 } : subjectApi(request),
  );
  rig.type('/db-0\raDy');
  await rig.shows('3 clients deleted');
  const deleted = rig.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  expect(deleted.toSorted()).toEqual([
    '/clients/db-002.eu-west-1',
    '/clients/db-008.eu-west-1',
    '/clients/db-014.eu-west-1',
  ]);
});

test('the console shows the reason of a rejected request', async () => {
  const rig = await onView('6', 'postgres-repl', (request) =>
    request.method === 'POST'
      ? { status: 404, body: { error: 'there is no check postgres-repl' } }
      : subjectApi(request),
  );
  rig.type('/postgres\rRy');
  await rig.shows('postgres-repl not requested: ');
  expect(rig.row('not requested')).toContain('there is no check postgres-repl');
});

test('the page of an unknown client says that the client is unknown and requests it again', async () => {
  const rig = await onView('5', 'mq-002');
  rig.type('/mq-002\r\r');
  await rig.shows('there is no client with this name');
  const asked = (): number => rig.requests.filter(({ path }) => path === '/api/mon/v1/clients/mq-002.eu-west-1').length;
  const before = asked();
  await rig.pass(2000);
  await rig.shows('there is no client with this name');
  expect(asked()).toBeGreaterThan(before);
});

const RESULT = '/results/db-014.eu-west-1/postgres-repl';
const issuedAt = (issued: number, status: number): object => ({
  client: 'db-014.eu-west-1',
  check: { name: 'postgres-repl', status, output: '', issued, executed: issued, history: [status] },
});

describe('the outcome of a requested run', () => {
  test('the console says what the result of a requested run was', async () => {
    const requestedAt = FEED_HELLO.time / 1000;
    let result = issuedAt(requestedAt - 60, 2);
    const rig = await onView('2', 'postgres-repl', (request) =>
      request.path === RESULT ? { status: 200, body: result } : subjectApi(request),
    );
    rig.type('Ry');
    await rig.shows('waiting for the result');
    await rig.pass(1000);
    await rig.pass(1000);
    expect(rig.screen.text).not.toContain('answered');
    result = issuedAt(FEED_HELLO.time / 1000 + 2, 0);
    await rig.pass(1000);
    await rig.shows('db-014.eu-west-1/postgres-repl answered OK');
  });

  test('the console says that no result of a requested run came within 30 seconds', async () => {
    const rig = await onView('2', 'postgres-repl');
    rig.type('Ry');
    await rig.shows('waiting for the result');
    await rig.pass(31_000);
    await rig.shows('no result from db-014.eu-west-1/postgres-repl after 30s');
    expect(rig.requests.some(({ path }) => path === RESULT)).toBe(true);
  });

  test('the console says that nobody is connected to run a check of a client without keepalives', async () => {
    const keepalive = anEventRow({
      client: 'db-014.eu-west-1',
      check: 'keepalive',
      since: FEED_HELLO.time / 1000 - 600,
    });
    const rig = await openRig({
      snapshot: { ...SCENE, events: { ...SCENE.events, ...byKey([keepalive]) } },
      api: subjectApi,
    });
    await rig.shows('postgres-repl');
    rig.type('/postgres db-014\rRy');
    await rig.shows('requested postgres-repl on db-014.eu-west-1, but nobody is connected to answer: last keepalive ');
    await rig.pass(5000);
    expect(rig.requests.filter(({ path }) => path === RESULT)).toEqual([]);
  });
});
