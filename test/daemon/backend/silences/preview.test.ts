import { beforeEach, expect, test } from 'vitest';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { longestTaskMs } from '../../../support/longest-task.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Answer } from '../../../support/raw-http.ts';

const HOUR_MS = 3_600_000;
const STARTED = ManualClock.START_MS / 1000;

let rig: BackendRig;

const ask: Ask = (...request) => rig.ask(...request);
const report = (source: string, name: string, status: number): Promise<Answer> =>
  ask('POST', '/results', { name, output: name, status, source });
const preview = async (...entries: readonly object[]): Promise<unknown> =>
  (await ask('POST', '/api/mon/v1/silenced/preview', { entries })).body;

beforeEach(async () => {
  rig = await BackendRig.open();
  await ask('POST', '/clients', { name: 'web-1', address: '192.0.2.1', subscriptions: ['web'] });
  for (const client of ['web-1', 'web-2', 'db-1']) {
    await report(client, 'disk', 2);
    await report(client, 'http', 0);
  }
});

test('the preview of a silence counts resolved events separately from open events', async () => {
  expect(await preview({ check: 'disk' })).toMatchObject({ recovered: 0, since: STARTED, events: { total: 3 } });
  await report('web-1', 'disk', 0);
  await report('db-1', 'disk', 0);
  expect(await preview({ check: 'disk' })).toMatchObject({ recovered: 2, since: STARTED, events: { total: 1 } });
  expect(await preview({ subscription: 'web' })).toMatchObject({ recovered: 1, since: STARTED });
  expect(await preview({ subscription: 'client:db-1', check: 'disk' })).toMatchObject({ recovered: 1 });
  expect(await preview({ check: 'http' }, { subscription: 'client:web-2' })).toMatchObject({ recovered: 0 });
});

test('the preview of several silences counts an event that two of them cover once', async () => {
  await report('web-1', 'disk', 0);
  expect(await preview({ check: 'disk' }, { subscription: 'web' }, { subscription: 'client:web-1' })).toMatchObject({
    recovered: 1,
  });
});

test('the preview of silences by name counts exactly the open events that the silences would cover', async () => {
  await report('web-2', 'disk', 1);
  await ask('POST', '/silenced', { subscription: 'client:web-2' });
  const counted = { critical: 2, warning: 1, unknown: 0, ok: 0 };
  expect(await preview({ check: 'disk' }, { subscription: 'client:db-1', check: 'disk' })).toMatchObject({
    events: { total: 3, ...counted, silenced: 1, first: expect.arrayContaining(['web-1/disk']) },
  });
  expect(await preview({ check: 'DISK' }, { subscription: 'Web' })).toMatchObject({ events: { total: 0, first: [] } });
});

test('the preview of a silence counts resolved events of the last 24 hours at most, and says since when', async () => {
  await report('web-1', 'disk', 0);
  rig.clock.advance(23 * HOUR_MS);
  expect(await preview({ check: 'disk' })).toMatchObject({ recovered: 1, since: STARTED });
  rig.clock.advance(2 * HOUR_MS);
  expect(await preview({ check: 'disk' })).toMatchObject({ recovered: 0, since: STARTED + 3600 });
});

test.each([
  [{}, /entries/],
  [{ entries: [] }, /entries/],
  [{ entries: [{}] }, /at least one of subscription and check is required/],
  [{ entries: Array.from({ length: 1001 }, () => ({ check: 'disk' })) }, /entries/],
])('a preview request with the body %j is rejected', async (body, reason) => {
  const answer = await ask('POST', '/api/mon/v1/silenced/preview', body);
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(reason) } });
});

test('a preview of a thousand silences without a match does not block the event loop', async () => {
  const results = Array.from({ length: 1000 }, (_, at) => ({
    source: `many-${String(at)}`,
    name: 'disk',
    output: 'o',
    status: at % 2,
  }));
  expect(await ask('POST', '/api/mon/v1/results', results)).toMatchObject({ status: 202 });
  const entries = Array.from({ length: 1000 }, (_, at) => ({ check: `nothing-${String(at)}` }));
  expect(await longestTaskMs(() => preview(...entries))).toBeLessThan(50);
});
