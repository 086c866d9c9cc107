import { expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import type { Store } from '../../../../daemon/backend/ports.ts';
import { checkRecordKey } from '../../../../daemon/backend/model/events/storage.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { SetMachine } from '../../../support/set-machine.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

async function start(around?: (store: Store) => Store): Promise<Backend> {
  const backend = await openBackend({ dir: await tempDir(), ...(around === undefined ? {} : { around }) });
  onTestFinished(() => backend.stop());
  return backend;
}
const ask = (backend: Backend, method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });

const RESULTS = Array.from({ length: 300 }, (_, index) => ({
  source: `client-${String(index % 30)}`,
  name: `check-${String(index)}`,
  output: 'o',
  status: index % 3,
}));

test('deep health shows the figures of the store, the queue, the feed and the indexes', async () => {
  const backend = await start();
  await ask(backend, 'POST', '/api/mon/v1/results', RESULTS);
  const answer = await ask(backend, 'GET', '/health?deep=1');
  expect(answer).toMatchObject({
    status: 200,
    body: {
      problems: [],
      store: { failed_writes: 0 },
      queue: { messages: 0 },
      feed: { consumers: 0, lag: 0 },
      indexes: { clients: 20, checks: 200, differences: 0 },
    },
  });
  const { store, timers } = answer.body as { store: { last_fsync_age: number }; timers: { lag: number } };
  expect(store.last_fsync_age).toBeGreaterThanOrEqual(0);
  expect(timers.lag).toBeGreaterThanOrEqual(0);
});

test('deep health and the log report a jump of the wall clock', async () => {
  const clock = new SetMachine();
  const log = new RecordedLog();
  const backend = await openBackend({ dir: await tempDir(), clock, log });
  onTestFinished(() => backend.stop());
  const reportedClock = async (): Promise<unknown> => {
    const { status, body } = await ask(backend, 'GET', '/health?deep=1');
    return { status, ...(body as { clock: object }).clock };
  };
  const atMs = clock.now();
  expect(await reportedClock()).toEqual({ status: 200, ahead: 0, jumps: 0, last_jump: null });
  clock.set(-7_200_000);
  clock.advance(1);
  expect(await reportedClock()).toEqual({ status: 200, ahead: -7200, jumps: 1, last_jump: atMs / 1000 });
  expect(log.messages('warn').join()).toContain('system clock was set back');
  clock.set(7_200_000);
  clock.advance(1);
  expect(await reportedClock()).toEqual({ status: 200, ahead: 0, jumps: 2, last_jump: atMs / 1000 });
});

test('deep health reports no differences under load, because it compares between two commits', async () => {
  const backend = await start();
  const load = Array.from({ length: 20 }, () => ask(backend, 'POST', '/api/mon/v1/results', RESULTS));
  const looks = Array.from({ length: 10 }, () => ask(backend, 'GET', '/health?deep=1'));
  for (const { body } of await Promise.all(looks)) expect(body).toMatchObject({ problems: [] });
  await Promise.all(load);
});

test('deep health names each difference between memory and store', async () => {
  const backend = await start((store) => storeThatLoses(store));
  await ask(backend, 'POST', '/results', { source: 'web-1', name: 'disk', output: 'o', status: 2 });
  const answer = await ask(backend, 'GET', '/health?deep=1');
  expect(answer).toMatchObject({
    status: 412,
    body: {
      problems: ['web-1/disk: only in memory', 'web-1: 1 events counted in memory, 0 in the store'],
      indexes: { clients: 1, checks: 1, differences: 2 },
    },
  });
});

test('deep health reports a status that is in memory but not in the store', async () => {
  let isLosing = false;
  const backend = await start((store) => storeThatLoses(store, () => isLosing));
  const result = { source: 'web-1', name: 'disk', output: 'o' };
  await ask(backend, 'POST', '/results', { ...result, status: 2 });
  isLosing = true;
  await ask(backend, 'POST', '/results', { ...result, status: 1 });
  expect(await ask(backend, 'GET', '/health?deep=1')).toMatchObject({
    status: 412,
    body: {
      problems: ['web-1/disk: status 1, event 1 in memory, status 2, event 2 in the store'],
      indexes: { clients: 1, checks: 1, differences: 1 },
    },
  });
});

test('health reports a store that rejects writes until the store accepts a write', async () => {
  let isFull = true;
  const backend = await start((store) => {
    const faulty = new FaultyStore(store);
    faulty.refuses = () => isFull;
    return faulty;
  });
  expect((await ask(backend, 'POST', '/stash/a', {})).status).toBe(503);
  expect(await ask(backend, 'GET', '/health')).toMatchObject({ status: 412, body: ['not connected to redis'] });
  expect((await ask(backend, 'GET', '/info')).body).toMatchObject({ redis: { connected: false } });
  expect(await ask(backend, 'GET', '/health?deep=1')).toMatchObject({
    status: 412,
    body: { problems: ['the store does not accept writes'], store: { failed_writes: 1 } },
  });
  isFull = false;
  expect((await ask(backend, 'POST', '/stash/a', {})).status).toBe(201);
  expect((await ask(backend, 'GET', '/health')).status).toBe(204);
});

test.each(['/health', '/health?deep=0', '/health?deep=true', '/health?deep='])(
  'GET %s on a healthy backend has an empty response',
  async (target) => {
    const backend = await start();
    expect(await ask(backend, 'GET', target)).toMatchObject({ status: 204, text: '' });
  },
);

/** Wraps a store so that it silently loses the record of `web-1/disk`. */
function storeThatLoses(store: Store, isLosing = (): boolean => true): Store {
  const lost = JSON.stringify(checkRecordKey('default', 'web-1', 'disk'));
  return new Proxy(store, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (property === 'write') {
        return (...[lease, ops, ...rest]: Parameters<Store['write']>) =>
          target.write(
            lease,
            ops.filter(({ key }) => !isLosing() || JSON.stringify(key) !== lost),
            ...rest,
          );
      }
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
