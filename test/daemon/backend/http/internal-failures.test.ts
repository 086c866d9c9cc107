import { expect, onTestFinished, test } from 'vitest';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

/** Returns a backend with an open event of web-1/disk, and its store. */
async function openWithEvent(): Promise<{ readonly backend: RunningBackend; readonly store: FaultyStore }> {
  let store: FaultyStore | undefined;
  const around = (real: ConstructorParameters<typeof FaultyStore>[0]): FaultyStore => (store = new FaultyStore(real));
  const backend = await startBackend({ around });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const body = JSON.stringify({ name: 'disk', source: 'web-1', output: 'full', status: 2 });
  await send(backend.url, { method: 'POST', target: '/results', body });
  if (store === undefined) throw new Error('there is a store');
  return { backend, store };
}

const FAILED = { status: 500, body: { error: 'internal error: see the log of the backend' } };
const EVENT = { client: 'web-1', check: 'disk' };

test('the event routes return an internal error if the store cannot be read', async () => {
  const { backend, store } = await openWithEvent();
  const get = (target: string): Promise<Answer> => send(backend.url, { method: 'GET', target });
  store.refusesReads = () => true;
  for (const target of ['/events', '/events/web-1', '/events/web-1/disk', '/incidents/web-1/disk']) {
    const answer = await get(target);
    expect(answer).toMatchObject(FAILED);
    expect(answer.headers).not.toHaveProperty('retry-after');
  }
  expect(await get('/results/web-1/disk')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  store.refusesReads = () => false;
  expect(await get('/events/web-1/disk')).toMatchObject({ status: 200 });
});

test('the routes that resolve events return an internal error if the disk rejects writes', async () => {
  const { backend, store } = await openWithEvent();
  const post = (target: string, body: object): Promise<Answer> =>
    send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });
  store.refuses = () => true;
  expect(await post('/resolve', EVENT)).toMatchObject(FAILED);
  expect(await send(backend.url, { method: 'DELETE', target: '/events/web-1/disk' })).toMatchObject(FAILED);
  expect(await post('/silenced', { check: 'disk' })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  store.refuses = () => false;
  expect(await post('/resolve', EVENT)).toMatchObject({ status: 202 });
});
