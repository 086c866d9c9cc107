import { expect, test, vi } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend } from '../../../support/running-backend.ts';

const V1 = '/events/web-1/disk';
const V2 = '/api/core/v2/namespaces/default/events';
const FULL = 'the result queue is full: try again in a second';
const EVENT = {
  entity: { metadata: { name: 'web-1' } },
  check: { metadata: { name: 'disk' }, status: 2, output: 'full' },
};

test('a full queue makes every write of events return 503 in the format of its API, while reads still work', async () => {
  const clock = new ManualClock();
  await using backend = await startBackend({ clock, batcher: { queueLimit: 1 } });
  const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
    send(backend.url, { method, target, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const waiting = async (): Promise<unknown> =>
    ((await ask('GET', '/info')).body as { transport: { results: { messages: number } } }).transport.results.messages;
  const first = ask('POST', V2, EVENT);
  await vi.waitFor(async () => expect(await waiting()).toBe(1));
  clock.advance(10);
  expect((await first).status).toBe(201);
  // After a batch of this size, a single command waits for the batch delay, so it stays in the queue.
  const others = ['a', 'b', 'c', 'd'].map((name) => ({ source: 'web-2', name, output: '' }));
  expect((await ask('POST', '/api/mon/v1/results', others)).status).toBe(202);

  // This request fills the queue, whose limit is 1.
  const second = ask('PUT', `${V2}/web-1/disk`, EVENT);
  await vi.waitFor(async () => expect(await waiting()).toBe(1));
  const busy = { status: 503, headers: { 'retry-after': '1' } };
  for (const [method, target, body] of [
    ['POST', V2, EVENT],
    ['POST', `${V2}/web-1/disk`, EVENT],
    ['PUT', `${V2}/web-1/disk`, EVENT],
    ['DELETE', `${V2}/web-1/disk`],
  ] as const) {
    expect(await ask(method, target, body)).toMatchObject({ ...busy, body: { message: FULL, code: 0 } });
  }
  for (const [method, target, body] of [
    ['DELETE', V1],
    ['DELETE', '/incidents/web-1/disk'],
    ['POST', '/resolve', { client: 'web-1', check: 'disk' }],
  ] as const) {
    expect(await ask(method, target, body)).toMatchObject({ ...busy, body: { error: FULL } });
  }
  for (const target of ['/events', V1, V2, `${V2}/web-1`, `${V2}/web-1/disk`]) {
    expect((await ask('GET', target)).status).toBe(200);
  }
  clock.advance(10);
  expect((await second).status).toBe(201);
  // The rejected requests changed nothing.
  expect((await ask('GET', V1)).body).toMatchObject({ occurrences: 2, action: 'create' });
});
