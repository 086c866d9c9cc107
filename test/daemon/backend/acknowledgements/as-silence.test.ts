import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { asking, type Ask } from '../../../support/asking.ts';
import { startBackend } from '../../../support/running-backend.ts';

const V2 = '/api/core/v2/namespaces/default';
const V1_ID = 'client:web-1:disk';
const V2_NAME = 'entity:web-1:disk';

/** Starts a backend with an acknowledged event of web-1/disk and an open event of web-1/load. */
async function startWith(settings: Readonly<Record<string, unknown>>): Promise<Ask> {
  const backend = await startBackend({ settings, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const ask = asking(backend.url);
  for (const name of ['disk', 'load']) {
    await ask('POST', '/results', { source: 'web-1', name, output: 'full', status: 2 });
  }
  const request = { client: 'web-1', check: 'disk', owner: 'ada', note: 'on it', expire: 600 };
  expect((await ask('POST', '/api/mon/v1/acknowledgements', request)).status).toBe(201);
  return ask;
}

const bodyOf = async (ask: Ask, target: string): Promise<unknown> => (await ask('GET', target)).body;

describe('the setting acknowledge-as-silence (on-call 5)', () => {
  let ask: Ask;
  beforeEach(async () => {
    ask = await startWith({ 'acknowledge-as-silence': true });
  });

  test('the v1 API shows an acknowledged event as silenced, and other events unchanged', async () => {
    const silenced = { silenced: true, silenced_by: [V1_ID], acknowledged: { note: 'on it' } };
    expect(await bodyOf(ask, '/events/web-1/disk')).toMatchObject(silenced);
    expect(await bodyOf(ask, '/events/web-1/load')).toMatchObject({ silenced: false, silenced_by: [] });
    for (const list of ['/events', '/events/web-1']) {
      const events = (await bodyOf(ask, list)) as readonly { readonly check: { readonly name: string } }[];
      expect(events.find(({ check }) => check.name === 'disk')).toMatchObject(silenced);
      expect(events.find(({ check }) => check.name === 'load')).toMatchObject({ silenced: false });
    }
  });

  test('the v1 API lists a silence for the acknowledgement, under its subscription and its check', async () => {
    const entry = { id: V1_ID, subscription: 'client:web-1', check: 'disk', reason: 'on it', expire_on_resolve: true };
    for (const list of ['/silenced', '/silenced/checks/disk', '/silenced/subscriptions/client%3Aweb-1']) {
      expect(await bodyOf(ask, list)).toMatchObject([entry]);
    }
    expect(await bodyOf(ask, '/silenced/checks/load')).toEqual([]);
    const one = await bodyOf(ask, `/silenced/ids/${encodeURIComponent(V1_ID)}`);
    expect(one).toMatchObject(entry);
    expect((one as { readonly expire: number }).expire).toBeLessThanOrEqual(600);
  });

  test('the v2 API shows the event as silenced, and lists the silence', async () => {
    expect(await bodyOf(ask, `${V2}/events/web-1/disk`)).toMatchObject({
      check: { is_silenced: true, silenced: [V2_NAME] },
    });
    expect(await bodyOf(ask, `${V2}/events/web-1/load`)).toMatchObject({ check: { is_silenced: false } });
    expect(await bodyOf(ask, `${V2}/silenced`)).toMatchObject([{ metadata: { name: V2_NAME }, reason: 'on it' }]);
    expect(await bodyOf(ask, `${V2}/silenced/${V2_NAME}`)).toMatchObject({ metadata: { name: V2_NAME } });
    expect(await bodyOf(ask, `${V2}/silenced/checks/disk`)).toMatchObject([{ metadata: { name: V2_NAME } }]);
    expect(await bodyOf(ask, `${V2}/silenced/checks/load`)).toEqual([]);
  });

  test('the mon API shows the event as acknowledged and not as silenced', async () => {
    expect(await bodyOf(ask, '/api/mon/v1/events/web-1/disk')).toMatchObject({
      silenced: false,
      silenced_by: [],
      acknowledged: { note: 'on it' },
    });
    expect(await bodyOf(ask, '/api/mon/v1/silenced')).toEqual([]);
  });

  test.each([
    ['POST /silenced/clear', (send: Ask) => send('POST', '/silenced/clear', { id: V1_ID })],
    [
      'POST /silenced/clear with a subscription and a check',
      (send: Ask) => send('POST', '/silenced/clear', { subscription: 'client:web-1', check: 'disk' }),
    ],
    ['DELETE in the v1 API', (send: Ask) => send('DELETE', `/silenced/ids/${encodeURIComponent(V1_ID)}`)],
    ['DELETE in the v2 API', (send: Ask) => send('DELETE', `${V2}/silenced/${V2_NAME}`)],
  ])('clearing the silence by %s removes the acknowledgement', async (_title, clear) => {
    expect((await clear(ask)).status).toBe(204);
    expect(await bodyOf(ask, '/api/mon/v1/acknowledgements')).toEqual([]);
    expect(await bodyOf(ask, '/silenced')).toEqual([]);
    expect((await clear(ask)).status).toBe(404);
  });

  test('a stored silence of the same client and check is shown in place of the acknowledgement', async () => {
    await ask('POST', '/silenced', { subscription: 'client:web-1', check: 'disk', reason: 'CHG-1' });
    expect(await bodyOf(ask, '/silenced')).toMatchObject([{ id: V1_ID, reason: 'CHG-1' }]);
    expect(await bodyOf(ask, '/events/web-1/disk')).toMatchObject({ silenced: true, silenced_by: [V1_ID] });
    expect((await ask('POST', '/silenced/clear', { id: V1_ID })).status).toBe(204);
    expect(await bodyOf(ask, '/silenced')).toMatchObject([{ id: V1_ID, reason: 'on it' }]);
  });
});

test('acknowledged events are not silenced in any API without the setting acknowledge-as-silence', async () => {
  const ask = await startWith({});
  expect(await bodyOf(ask, '/events/web-1/disk')).toMatchObject({ silenced: false, silenced_by: [] });
  expect(await bodyOf(ask, '/silenced')).toEqual([]);
  expect(await bodyOf(ask, `${V2}/events/web-1/disk`)).toMatchObject({ check: { is_silenced: false } });
  expect(await bodyOf(ask, `${V2}/silenced`)).toEqual([]);
  expect((await ask('POST', '/silenced/clear', { id: V1_ID })).status).toBe(404);
});
