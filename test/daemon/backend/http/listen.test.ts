import { once } from 'node:events';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { closeServer } from '../../../../daemon/backend/http/listen.ts';

/** Idle connections stay open for twice this time; stopping must take less than this. */
const KEPT_MS = 30_000;

test('a stopping server closes idle connections without waiting for them and without a reset', async () => {
  const app = fastify({ keepAliveTimeout: 2 * KEPT_MS });
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
  let asked = 0;
  app.get('/', () => {
    asked++;
    return answered;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const answers = Array.from({ length: 5 }, () => fetch(url));
  await vi.waitFor(() => expect(asked).toBe(5));
  const ended = once(app.server, 'close');
  const startedAt = performance.now();
  const closed = closeServer(app, { closeRemaining: () => undefined }, 0);
  answer('done');
  expect(await Promise.all((await Promise.all(answers)).map((response) => response.text()))).toEqual(
    Array.from({ length: 5 }, () => 'done'),
  );
  await Promise.all([closed, ended]);
  expect(performance.now() - startedAt).toBeLessThan(KEPT_MS);
});
