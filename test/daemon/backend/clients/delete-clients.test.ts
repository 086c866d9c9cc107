import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { asking, type Ask } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DAY_MS = 24 * 3600 * 1000;

let backend: RunningBackend;
let ask: Ask;

beforeAll(async () => {
  backend = await startBackend({ batcher: { batchLimit: 1 } });
  ask = asking(backend.url);
});
afterAll(() => backend[Symbol.asyncDispose]());

const names = async (): Promise<string[]> =>
  ((await ask('GET', '/clients')).body as { name: string }[]).map(({ name }) => name);
const ping = (source: string) => ({ source, name: 'ping', output: '' });
const deleteFound = (q: string) => ask('DELETE', `/api/mon/v1/clients?q=${encodeURIComponent(q)}`);

test('a bulk deletion of clients resolves the events of matching clients, and the audit trail names the clients', async () => {
  const results = Array.from({ length: 250 }, (_, at) => ({
    source: `ci-${String(at)}`,
    name: 'unit',
    output: '',
    status: 2,
  }));
  await ask('POST', '/api/mon/v1/results', results);
  await ask('POST', '/clients', { name: 'web-1', address: '10.0.0.1' });
  expect(await deleteFound('client:ci-')).toMatchObject({ status: 200, body: { deleted: 250, more: false } });
  expect(await names()).toEqual(['web-1']);
  expect((await ask('GET', '/events')).body).toEqual([]);
  const records = (await ask('GET', '/api/mon/v1/audit?limit=10')).body as {
    after: { action: string; target: string }[];
  }[];
  const gone = records.flatMap(({ after }) => after).filter(({ action }) => action === 'client.delete');
  expect(gone.map(({ target }) => target).toSorted()).toEqual(results.map(({ source }) => source).toSorted());
});

test('a bulk deletion by age does not match a client that still sends results, even if its record is old', async () => {
  const dir = await tempDir();
  const open = (days: number) =>
    openBackend({ dir, clock: new ManualClock(ManualClock.START_MS + days * DAY_MS), batcher: { batchLimit: 1 } });
  const before = await open(0);
  for (const source of ['alive', 'dead']) await asking(before.url)('POST', '/results', ping(source));
  await before.stop();
  const after = await open(40);
  onTestFinished(() => after.stop());
  const asked = asking(after.url);
  await asked('POST', '/results', ping('alive'));
  const search = encodeURIComponent('(keepalive>30d or !agent) result>30d');
  expect(await asked('DELETE', `/api/mon/v1/clients?q=${search}`)).toMatchObject({ body: { deleted: 1 } });
  expect((await asked('GET', '/clients')).body).toMatchObject([{ name: 'alive' }]);
});

test.each(['', '?q=', '?q=%20', '?q=(a'])(
  'a bulk deletion of clients without a valid search deletes nothing: %s',
  async (query) => {
    const before = await names();
    expect((await ask('DELETE', `/api/mon/v1/clients${query}`)).status).toBe(400);
    expect(await names()).toEqual(before);
  },
);
