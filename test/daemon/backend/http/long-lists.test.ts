import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { exchange, requestBytes, send } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const COUNT = 1000;
const NAMES = Array.from({ length: COUNT }, (_, at) => `check-${String(at).padStart(4, '0')}`);

interface Item {
  readonly check: { readonly name: string };
}

let backend: RunningBackend;
let store: FaultyStore;
beforeAll(async () => {
  backend = await startBackend({ around: (real) => (store = new FaultyStore(real)) });
  await reportAll();
});
afterAll(() => backend[Symbol.asyncDispose]());

/** Reports all results, which also empties the cache of lists. */
async function reportAll(): Promise<void> {
  await openApiClient({ backend: backend.url }).submitResults(
    NAMES.map((name, at) => ({ source: 'web', name, output: 'é'.repeat(1000), status: 1 + (at % 2) })),
  );
}

async function get(target: string): Promise<{ readonly names: string[]; readonly headers: Headers }> {
  const answer = await fetch(backend.url + target);
  const items = (await answer.json()) as Item[];
  return { names: items.map(({ check }) => check.name), headers: answer.headers };
}

describe('a list that is too long for one chunk', () => {
  test.each(['/events', '/incidents', '/events/web', '/results', '/results/web', '/api/mon/v1/results'])(
    'GET %s returns a list of many chunks completely and in order',
    async (target) => {
      const { names, headers } = await get(target);
      expect(names).toEqual(NAMES);
      expect(headers.get('content-length')).toBeNull();
      expect(headers.get('content-type')).toContain('application/json');
    },
  );

  test.each([
    { query: 'limit=700&offset=200', from: 200, to: 900, total: COUNT },
    { query: 'limit=10&offset=995', from: 995, to: COUNT, total: COUNT },
  ])('a long list is paginated: $query', async ({ query, from, to, total }) => {
    const { names, headers } = await get(`/events?${query}`);
    expect(names).toEqual(NAMES.slice(from, to));
    expect(JSON.parse(headers.get('x-pagination') ?? '')).toMatchObject({ total });
  });

  test.each([
    { query: '', from: 0, to: 500, pagination: null },
    { query: '&limit=400&offset=50', from: 50, to: 450, pagination: '{"limit":400,"offset":50,"total":500}' },
    { query: '&limit=400&offset=450', from: 450, to: 500, pagination: '{"limit":400,"offset":450,"total":500}' },
    { query: '&limit=2&offset=3', from: 3, to: 5, pagination: '{"limit":2,"offset":3,"total":500}' },
  ])('a long list is filtered before it is paginated: $query', async ({ query, from, to, pagination }) => {
    const critical = NAMES.filter((_, at) => at % 2 === 1);
    const { names, headers } = await get(`/events?filter.check.status=2${query}`);
    expect(names).toEqual(critical.slice(from, to));
    expect(headers.get('x-total-unfiltered')).toBe(String(COUNT));
    expect(headers.get('x-pagination')).toBe(pagination);
  });

  test('HEAD of a long list returns its headers without a length and reads only part of the list', async () => {
    await reportAll();
    let reads = 0;
    store.refusesReads = () => ++reads > 40;
    const head = await send(backend.url, { method: 'HEAD', target: '/events?limit=900' });
    store.refusesReads = () => false;
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(JSON.parse(head.headers['x-pagination'] ?? '')).toMatchObject({ total: COUNT });
    expect(reads).toBeLessThan(30);
  });

  test('a request that follows a long list on the same connection is served', async () => {
    const bytes = ['/events', '/health'].map((target) => requestBytes({ method: 'HEAD', target })).join('');
    const answers = await exchange(backend.url, bytes, ['HEAD', 'HEAD']);
    expect(answers.map(({ status }) => status)).toEqual([200, 204]);
  });
});

/**
 * Requests a list from a store that fails after some reads.
 *
 * @param reads number of reads that succeed first
 */
async function requestFailingList(
  reads: number,
): Promise<{ readonly answer: Response; readonly text: Promise<string> }> {
  await reportAll();
  let left = reads;
  store.refusesReads = () => left-- <= 0;
  const answer = await fetch(`${backend.url}/events?limit=999`);
  return { answer, text: answer.text().finally(() => (store.refusesReads = () => false)) };
}

describe('a list that cannot be read', () => {
  test('a long list that cannot be read from the start returns an error without the headers of a list', async () => {
    const { answer, text } = await requestFailingList(1);
    expect(answer.status).toBe(500);
    expect(answer.headers.has('x-pagination')).toBe(false);
    expect(await text).toBe('{"error":"internal error: see the log of the backend","code":"internal"}');
  });

  test('a long list whose read fails in the middle is cut off, so that the client notices the failure', async () => {
    const { answer, text } = await requestFailingList(20);
    expect(answer.status).toBe(200);
    await expect(text).rejects.toThrow('terminated');
  });
});
