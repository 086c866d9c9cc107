import { beforeEach, describe, expect, test } from 'vitest';
import type { BulkResponse } from '../../../../shared/schemas/bulk.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import type { TimelinePage } from '../../../../shared/schemas/timeline.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';

const MON = '/api/mon/v1';
const DISK = { client: 'web-1', check: 'disk' };

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
  await report(1);
});

const ask: Ask = (...request) => rig.administer(...request);

async function report(status: number, attributes = {}): Promise<void> {
  const result = { name: 'disk', source: 'web-1', output: `status ${String(status)}`, status, ...attributes };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}

const acknowledge = (attributes: object = {}): ReturnType<Ask> =>
  ask('POST', `${MON}/acknowledgements`, { ...DISK, owner: 'ada', ...attributes });
const listAcknowledgements = async (query = ''): Promise<unknown> =>
  (await ask('GET', `${MON}/acknowledgements${query}`)).body;
const rows = async (query: string): Promise<unknown> => (await ask('GET', `${MON}/events?q=${query}`)).body;
const bulk = async (operations: readonly object[], expectAll = false): Promise<BulkResponse> =>
  (await ask('POST', `${MON}/bulk`, { operations, ...(expectAll && { expect: 'all' }) })).body as BulkResponse;
const seconds = (): number => rig.clock.now() / 1000;

describe('acknowledgements in the mon API (on-call 1)', () => {
  test('an acknowledgement has an owner, a note and a deadline, and is listed', async () => {
    const at = seconds();
    const row = {
      ...DISK,
      owner: 'ada',
      note: 'looking into it',
      acknowledged_at: at,
      expires_at: at + 600,
      sticky: false,
      status: 1,
    };
    expect(await acknowledge({ note: 'looking into it', expire: 600 })).toMatchObject({ status: 201, body: row });
    expect(await listAcknowledgements()).toEqual([row]);
    expect(await listAcknowledgements('?q=owner=ada')).toEqual([row]);
    expect(await listAcknowledgements('?q=owner=bob')).toEqual([]);
  });

  test('all open events that match a search now are acknowledged, and later events are not', async () => {
    await report(1, { name: 'load' });
    await report(2, { name: 'http', source: 'web-2' });
    const matching = (body: object): ReturnType<Ask> => ask('POST', `${MON}/acknowledgements/matching`, body);
    const { status, body } = await matching({ search: 'client=web-1', owner: 'ada', note: 'on it', expire: 60 });
    expect([status, body]).toMatchObject([
      201,
      [
        { client: 'web-1', check: 'disk', owner: 'ada', note: 'on it', expires_at: seconds() + 60 },
        { client: 'web-1', check: 'load', owner: 'ada' },
      ],
    ]);
    await report(1, { name: 'swap' });
    expect(await rows('!acked')).toMatchObject([{ check: 'http' }, { check: 'swap' }]);
    expect((await ask('GET', `${MON}/audit`)).body).toMatchObject([{ action: 'bulk', target: '2 operations' }]);
  });

  test.each([
    [{ search: 'client=web-9' }, 404, 'search: no open event matches'],
    [{ search: 'client=(' }, 400, expect.stringContaining('q: ')],
    [{ search: ' ' }, 400, expect.stringContaining('search')],
    [{}, 400, expect.stringContaining('search')],
    [{ search: 'disk', expire: 1, expires_at: 1 }, 400, expect.stringContaining('exclude each other')],
  ])('the request %j for matching acknowledgements is rejected with status %i', async (body, status, message) => {
    expect(await ask('POST', `${MON}/acknowledgements/matching`, body)).toMatchObject({
      status,
      body: { error: message },
    });
    expect(await listAcknowledgements()).toEqual([]);
  });

  test('events of all APIs show the acknowledgement, and a search finds it', async () => {
    const [before] = (await ask('GET', '/events')).body as object[];
    const at = seconds();
    await acknowledge({ note: 'looking into it' });
    const acknowledged = { by: 'ada', at, note: 'looking into it' };
    expect((await ask('GET', '/events')).body).toEqual([{ ...before, acknowledged }]);
    expect((await ask('GET', '/events/web-1/disk')).body).toEqual({ ...before, acknowledged });
    expect((await ask('GET', `${MON}/events/web-1/disk`)).body).toEqual({ ...before, acknowledged });
    expect(await rows('acked')).toMatchObject([{ ...DISK, acknowledged, silenced_by: [] }]);
    expect(await rows('owner=ada')).toMatchObject([DISK]);
    expect(await rows('!acked')).toEqual([]);
  });

  test('an event of the v2 API has the acknowledgement as annotations', async () => {
    await acknowledge({ note: 'looking into it', expire: 60 });
    const { body } = await ask('GET', '/api/core/v2/namespaces/default/events/web-1/disk');
    expect(body).toMatchObject({
      metadata: {
        annotations: { 'mon.acknowledged_by': 'ada', 'mon.acknowledged_note': 'looking into it' },
      },
      check: { is_silenced: false },
    });
  });

  test('an acknowledgement is removed once', async () => {
    await acknowledge();
    expect((await ask('DELETE', `${MON}/acknowledgements/web-1/disk`)).status).toBe(204);
    expect(await listAcknowledgements()).toEqual([]);
    expect(await ask('DELETE', `${MON}/acknowledgements/web-1/disk`)).toMatchObject({
      status: 404,
      body: { code: 'not_found', error: 'the event of web-1/disk is not acknowledged' },
    });
  });

  test.each([
    { body: { ...DISK, client: 'web-2' }, status: 404, error: 'there is no event of web-2/disk' },
    { body: { ...DISK, expires_at: 1 }, status: 400, error: 'expires_at: the time is in the past; give a later time' },
    { body: { client: 'web-1' }, status: 400, error: 'check: ' },
    {
      body: { ...DISK, expire: 60, expires_at: 9_999_999_999 },
      status: 400,
      error: 'expire and expires_at exclude each other: remove one of them',
    },
    { body: { ...DISK, expire: 0 }, status: 400, error: 'expire: ' },
    { body: { ...DISK, note: 'x'.repeat(1001) }, status: 400, error: 'note: ' },
  ])('the request $body is rejected with the reason: $error', async ({ body, status, error }) => {
    const response = await ask('POST', `${MON}/acknowledgements`, body);
    expect(response).toMatchObject({ status, body: { error: expect.stringContaining(error) as string } });
    expect(await listAcknowledgements()).toEqual([]);
  });

  test('the acknowledgement expires at its deadline', async () => {
    await acknowledge({ expire: 60 });
    rig.clock.advance(60_000);
    await expect.poll(() => listAcknowledgements()).toEqual([]);
    expect(await rows('acked')).toEqual([]);
  });

  test('an acknowledgement survives a restart and the rename of its check', async () => {
    await acknowledge({ expire: 600 });
    await rig.stop();
    await rig.start();
    expect((await ask('POST', `${MON}/checks/disk/rename`, { to: 'space' })).status).toBe(200);
    expect(await listAcknowledgements()).toMatchObject([{ client: 'web-1', check: 'space', owner: 'ada' }]);
    await report(0, { name: 'space' });
    expect(await listAcknowledgements()).toEqual([]);
  });

  test('a dump and its restore keep the acknowledgement', async () => {
    await acknowledge({ note: 'looking into it' });
    const before = await listAcknowledgements();
    const { objects } = (await ask('GET', `${MON}/dump/events`)).body as { objects: unknown[] };
    expect((await ask('DELETE', `${MON}/results/web-1/disk`)).status).toBeLessThan(300);
    await report(0);
    expect(await listAcknowledgements()).toEqual([]);
    expect((await ask('POST', `${MON}/restore`, { objects })).status).toBe(200);
    expect(await listAcknowledgements()).toEqual(before);
  });

  test('the timeline and the audit trail show who acknowledged an event, and why', async () => {
    await acknowledge({ note: 'looking into it' });
    await ask('DELETE', `${MON}/acknowledgements/web-1/disk`);
    const { transitions } = (await ask('GET', `${MON}/timeline?client=web-1&check=disk`)).body as TimelinePage;
    expect(transitions.slice(0, 2)).toMatchObject([
      { kind: 'unacknowledge', was: 1, status: 1 },
      { kind: 'acknowledge', was: 1, status: 1, creator: 'ada', reason: 'looking into it' },
    ]);
    const records = (await ask('GET', `${MON}/audit?limit=2`)).body;
    expect(records).toMatchObject([
      { action: 'event.unacknowledge', target: 'web-1/disk' },
      { action: 'event.acknowledge', target: 'web-1/disk', reason: 'looking into it' },
    ]);
  });

  test('explain says that an acknowledged event is not notified, by whom and until when', async () => {
    await report(1, { handlers: ['default'] });
    await rig.stop();
    await rig.start({ handlers: new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'true' })]]) });
    await acknowledge({ note: 'looking into it' });
    expect((await ask('GET', `${MON}/events/web-1/disk/explain`)).body).toMatchObject({
      handlers: [
        {
          handler: 'default',
          verdict: 'acknowledged',
          reason: 'acknowledged by ada until it resolves (looking into it)',
        },
      ],
    });
  });
});

describe('acknowledgements in bulk requests', () => {
  test('a bulk request acknowledges events, and its undo operations restore what was before', async () => {
    await acknowledge({ note: 'first', expire: 600 });
    const before = await listAcknowledgements();
    const { results } = await bulk([{ op: 'acknowledge', ...DISK, owner: 'bob' }]);
    expect(await listAcknowledgements()).toMatchObject([{ owner: 'bob', expires_at: null }]);
    await bulk(results.flatMap(({ undo }) => undo ?? []));
    expect(await listAcknowledgements()).toEqual(before);
    const { results: removed } = await bulk([{ op: 'unacknowledge', ...DISK }]);
    expect(await listAcknowledgements()).toEqual([]);
    await bulk(removed.flatMap(({ undo }) => undo ?? []));
    expect(await listAcknowledgements()).toEqual(before);
  });

  test('operations about events that are not open or not acknowledged are skipped with the reason', async () => {
    const { results } = await bulk([
      { op: 'acknowledge', client: 'web-9', check: 'disk' },
      { op: 'unacknowledge', ...DISK },
      { op: 'acknowledge', ...DISK, expires_at: 1 },
    ]);
    expect(results).toMatchObject([
      { ok: false, error: 'not_found' },
      { ok: false, error: 'not_found' },
      { ok: false, error: 'expired' },
    ]);
    expect(await listAcknowledgements()).toEqual([]);
  });
});
