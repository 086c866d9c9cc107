import { expect, test } from 'vitest';
import { RequestIds } from '../../../../daemon/backend/http/request-ids.ts';

test('a request without an X-Request-ID gets a random UUID as its request id', () => {
  const ids = new RequestIds();
  const given = Array.from({ length: 5000 }, () => ids.idOfRequest({ headers: {} }));
  expect(new Set(given).size).toBe(given.length);
  for (const id of given) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
});

test('two listeners assign different request ids', () => {
  const [first, second] = [new RequestIds(), new RequestIds()];
  expect(first.idOfRequest({ headers: {} })).not.toBe(second.idOfRequest({ headers: {} }));
});
