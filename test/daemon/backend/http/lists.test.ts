import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filterOf } from '../../../../daemon/backend/http/filter.ts';
import { pageOf } from '../../../../daemon/backend/http/query.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const nameOf = (index: number): string => `check-${String(index).padStart(3, '0')}`;
const namesIn = ({ body }: Answer): string[] => (body as { check: { name: string } }[]).map(({ check }) => check.name);

describe('limit and offset', () => {
  test.each([
    { query: '', page: undefined },
    { query: '?limit=2', page: { limit: 2, offset: 0 } },
    { query: '?limit=2&offset=3', page: { limit: 2, offset: 3 } },
    { query: '?limit=2&limit=3', page: { limit: 3, offset: 0 } },
    { query: '?limit=0', page: { limit: 0, offset: 0 } },
    { query: '?offset=3', page: undefined },
    { query: '?limit=&offset=', page: undefined },
    { query: '?limit', page: undefined },
    { query: '?limit=-1', page: undefined },
    { query: '?limit=1.5', page: undefined },
    { query: '?limit=abc', page: undefined },
    { query: '?limit=%202', page: undefined },
    { query: '?Limit=2', page: undefined },
    { query: '?limit=2&offset=-1', page: { limit: 2, offset: 0 } },
    { query: '?limit=0000000000000000002', page: { limit: 2, offset: 0 } },
    { query: `?limit=${'9'.repeat(19)}`, page: { limit: Number.MAX_SAFE_INTEGER, offset: 0 } },
    { query: `?limit=2&offset=${'9'.repeat(400)}`, page: { limit: 2, offset: Number.MAX_SAFE_INTEGER } },
  ])('the limit and the offset in the query "$query" are parsed', ({ query, page }) => {
    expect(pageOf(new URLSearchParams(query))).toEqual(page);
  });
});

describe('filters', () => {
  const item = {
    name: 'web',
    status: 2,
    ratio: 0.25,
    isUp: true,
    none: null,
    text: 'héllo wörld',
    tags: ['a', 'b'],
    nested: { port: 3306, host: 'db' },
  };
  test.each([
    { query: 'filter.name=web', matches: true },
    { query: 'filter.name=we', matches: false },
    { query: 'filter.status=2', matches: true },
    { query: 'filter.ratio=0.25', matches: true },
    { query: 'filter.isUp=true', matches: true },
    { query: 'filter.nested.port=3306', matches: true },
    { query: 'filter.text=h%C3%A9llo+w%C3%B6rld', matches: true },
    { query: 'filter.none=', matches: true },
    { query: 'filter.missing=', matches: true },
    { query: 'filter.missing.deeper=', matches: true },
    { query: 'filter.name=', matches: false },
    { query: 'filter.name', matches: false },
    { query: 'filter.tags=a', matches: false },
    { query: 'filter.tags=["a", "b"]', matches: true },
    { query: 'filter.tags.0=a', matches: false },
    { query: 'filter.name=web&filter.status=1', matches: false },
    { query: 'filter.name=web&filter.name=db', matches: false },
    { query: 'filter.nested=x&filter.nested.port=3306', matches: true },
    { query: 'filter.name.length=3', matches: false },
    { query: 'filter.constructor.name=Object', matches: false },
    { query: 'filter.__proto__=', matches: true },
    { query: 'filter.name=eval: true', matches: false },
  ])('the list filter "$query" matches the item: $matches', ({ query, matches }) => {
    expect(filterOf(new URLSearchParams(query))?.(item)).toBe(matches);
  });

  test.each(['', 'filter.', 'filter.=x', 'name=web', 'filter=web'])(
    'the query "%s" contains no list filter',
    (query) => {
      expect(filterOf(new URLSearchParams(query))).toBeUndefined();
    },
  );

  test('a list filter with any path and value returns true or false for any JSON value', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (path, value, json) => {
        const filter = filterOf(new URLSearchParams([[`filter.${path}`, value]]));
        expect([undefined, true, false]).toContain(filter?.(json));
      }),
    );
  });
});

describe('a list of many items', () => {
  const COUNT = 600;
  let backend: RunningBackend;
  beforeAll(async () => {
    backend = await startBackend();
    const results = Array.from({ length: COUNT }, (_, index) => ({
      name: nameOf(index),
      output: `é ${String(index)}`,
      status: index % 3,
      source: 'web',
    }));
    const target = '/api/mon/v1/results';
    await send(backend.url, { method: 'POST', target, body: JSON.stringify(results.toReversed()) });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  const get = (target: string): Promise<Answer> => send(backend.url, { method: 'GET', target });
  const allNames = Array.from({ length: COUNT }, (_, index) => nameOf(index));

  test('a long list of results is complete and sorted, and its Content-Length is correct', async () => {
    const answer = await get('/results');
    expect(namesIn(answer)).toEqual(allNames);
    expect(answer.headers).toMatchObject({
      'content-length': String(Buffer.byteLength(answer.text)),
      'content-type': expect.stringContaining('application/json') as string,
    });
    expect(answer.headers).not.toHaveProperty('x-pagination');
    const head = await send(backend.url, { method: 'HEAD', target: '/results' });
    expect(head.headers['content-length']).toBe(answer.headers['content-length']);
  });

  test('every page of a list contains the right part of the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: COUNT + 10 }),
        fc.integer({ min: 0, max: COUNT + 10 }),
        async (limit, offset) => {
          const answer = await get(`/results/web?limit=${String(limit)}&offset=${String(offset)}`);
          expect(namesIn(answer)).toEqual(allNames.slice(offset, offset + limit));
          expect(answer.headers['x-pagination']).toBe(JSON.stringify({ limit, offset, total: COUNT }));
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });

  test('a long list of results is filtered before it is paginated', async () => {
    const critical = allNames.filter((_, index) => index % 3 === 2);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: COUNT }),
        fc.integer({ min: 0, max: COUNT }),
        async (limit, offset) => {
          const answer = await get(`/events?filter.check.status=2&limit=${String(limit)}&offset=${String(offset)}`);
          expect(namesIn(answer)).toEqual(critical.slice(offset, offset + limit));
          expect(answer.headers).toMatchObject({
            'x-pagination': JSON.stringify({ limit, offset, total: critical.length }),
            'x-total-unfiltered': String((COUNT / 3) * 2),
          });
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });
});
