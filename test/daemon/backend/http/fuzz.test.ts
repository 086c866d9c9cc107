import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSchema } from '../../../../shared/schemas/client.ts';
import { resolveSchema } from '../../../../shared/schemas/event.ts';
import { resultSchema } from '../../../../shared/schemas/result.ts';
import { clearSilencedSchema, silencedSchema } from '../../../../shared/schemas/silenced.ts';
import { exchange, requestBytes, send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend[Symbol.asyncDispose]());

const POSTS = [
  '/results',
  '/clients',
  '/silenced',
  '/silenced/clear',
  '/resolve',
  '/api/mon/v1/results',
  '/api/mon/v1/bulk',
  '/api/mon/v1/simulate',
];

const NAMES = [resultSchema, clientSchema, silencedSchema, clearSilencedSchema, resolveSchema].flatMap(({ shape }) =>
  Object.keys(shape),
);

/** Nearly valid bodies: known field names with random values. */
const nearlyValid = fc.dictionary(
  fc.constantFrom(...NAMES, 'history', '__proto__', 'constructor'),
  fc.oneof(fc.jsonValue(), fc.constantFrom('a', 'a b', '*', 0, -1, 1.5, 1e300, 2 ** 53, null, true)),
);
const bodies = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  nearlyValid.map((body) => JSON.stringify(body)),
  fc.array(nearlyValid).map((body) => JSON.stringify(body)),
);

const isDone = ({ status, body }: Answer): boolean =>
  [200, 201, 202, 204, 404].includes(status) ||
  (status === 400 && /^.{8,}$/s.test(String((body as { readonly error?: unknown }).error)));

test('a POST with a random body is accepted, or rejected with a reason', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...POSTS), bodies, async (target, body) => {
      expect(await send(backend.url, { method: 'POST', target, body })).toSatisfy(isDone);
    }),
    { numRuns: propertyRuns(300) },
  );
});

const segments = fc.oneof(
  fc.constantFrom(
    'clients',
    'events',
    'results',
    'silenced',
    'ids',
    'checks',
    'subscriptions',
    'history',
    '',
    '..',
    '.',
  ),
  fc.webSegment(),
  fc.string().map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('%', '%00', '%2e%2e', '%ff', '*', ':', '__proto__', 'constructor'),
);

test('a request with a random path never causes an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'HEAD', 'DELETE', 'PUT', 'OPTIONS'),
      fc.array(segments, { maxLength: 5 }),
      fc.webQueryParameters(),
      async (method, path, query) => {
        const bytes = requestBytes({ method, target: `/${path.join('/')}?${query}` });
        const [answer] = await exchange(backend.url, bytes, [method]);
        expect(answer?.status).toBeLessThan(500);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('random bytes on a connection do not stop the backend from serving requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      const socket = connect(Number(new URL(backend.url).port), '127.0.0.1').resume();
      socket.end(bytes);
      await once(socket, 'close');
      expect((await send(backend.url, { method: 'GET', target: '/health' })).status).toBe(204);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('the random requests of these tests log no internal error', () => {
  // Random results may name handlers that do not exist.
  expect(backend.log.messages('error').filter((message) => message !== 'unknown handler')).toEqual([]);
});
