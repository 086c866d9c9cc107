import { expect, test } from 'vitest';
import { FIXED_LIMITS } from '../../../../daemon/backend/compose/fixed-limits.ts';
import { send } from '../../../support/raw-http.ts';
import { startBackend } from '../../../support/running-backend.ts';

test('a namespace has at most a million silences', () => {
  expect(FIXED_LIMITS.silences).toBe(1_000_000);
});

test('every API rejects a new silence beyond the limit, but existing silences can be changed and deleted', async () => {
  await using backend = await startBackend({
    fixedLimits: { silences: 2 },
    batcher: { batchLimit: 1 },
  });
  const post = async (target: string, body: object): Promise<number> =>
    (await send(backend.url, { method: 'POST', target, body: JSON.stringify(body) })).status;
  const silence = (check: string, reason = ''): Promise<number> => post('/silenced', { check, reason });
  const bulk = (...checks: string[]): Promise<number> =>
    post('/api/mon/v1/bulk', {
      operations: checks.map((check) => ({ op: 'silence', check, creator: 'ann', reason: 'work', expire: 60 })),
    });

  expect(await silence('a')).toBe(201);
  expect(await bulk('b', 'c')).toBe(503);
  expect(await bulk('b')).toBe(200);
  expect(await silence('c')).toBe(503);
  expect(await bulk('c')).toBe(503);
  expect(await silence('a', 'another')).toBe(201);
  expect(await bulk('a', 'b')).toBe(200);
  expect(await post('/silenced/clear', { check: 'a' })).toBe(204);
  expect(await silence('c')).toBe(201);
});
