import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../../../scripts/lib/free-port.ts';
import { openLineReceiver } from '../../../../support/line-receiver.ts';
import { send, type Answer } from '../../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../../support/running-backend.ts';

let backend: RunningBackend;
/** The port of the handler `pager`, on which nothing listens unless a test opens it. */
let port: number;

beforeEach(async () => {
  port = await freePort();
  backend = await startBackend({
    settings: {
      handlers: {
        pager: { type: 'tcp', socket: { host: '127.0.0.1', port } },
        fail: { type: 'pipe', command: 'cat >/dev/null; exit 3' },
        all: { type: 'set', handlers: ['pager', 'fail'] },
      },
    },
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
});

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });
const LETTERS = '/api/mon/v1/dead-letters';

/**
 * Reports failures of a check on these clients, waits until each failed notification is a dead letter, and returns
 * these.
 */
async function fail(handler: string, ...clients: readonly string[]): Promise<readonly { id: number }[]> {
  for (const source of clients) {
    await ask('POST', '/results', {
      source,
      name: 'disk',
      output: 'full',
      status: 2,
      handlers: [handler],
      password: 'hunter2',
    });
  }
  return await vi.waitFor(async () => {
    const { body } = await ask('GET', `${LETTERS}?filter.handler=${handler}`);
    expect(body).toHaveLength(clients.length);
    return body as { id: number }[];
  });
}

describe('the API of dead letters', () => {
  test('the list of dead letters omits the events and can be paginated and filtered', async () => {
    const before = Math.floor(Date.now() / 1000);
    const [first] = await fail('pager', 'a', 'b');
    await fail('fail', 'c');
    const { body, headers } = await ask('GET', `${LETTERS}?limit=1&filter.handler=pager`);
    expect(body).toEqual([
      {
        id: first?.id,
        handler: 'pager',
        client: 'a',
        check: 'disk',
        queued_at: expect.any(Number),
        failed_at: expect.any(Number),
        attempts: 1,
        reason: 'the connection was refused',
      },
    ]);
    expect(headers['x-pagination']).toBe('{"limit":1,"offset":0,"total":2}');
    const [{ failed_at: failedAt }] = body as [{ failed_at: number }];
    expect(failedAt).toBeGreaterThanOrEqual(before);
  });

  test('a single dead letter is shown with its event, in which secrets are redacted', async () => {
    const [letter] = await fail('pager', 'a');
    const { status, body } = await ask('GET', `${LETTERS}/${String(letter?.id)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: letter?.id,
      event: { client: { name: 'a' }, check: { name: 'disk', status: 2, password: 'REDACTED' }, action: 'create' },
    });
  });

  test('a retried dead letter is delivered with the complete event, including secrets', async () => {
    const [letter] = await fail('pager', 'a');
    const { received } = await openLineReceiver(port);
    expect(await ask('POST', `${LETTERS}/${String(letter?.id)}/retry`, {})).toMatchObject({
      status: 200,
      body: { retried: 1 },
    });
    await vi.waitFor(() => expect(received).toHaveLength(1));
    expect(JSON.parse(received[0] ?? '')).toMatchObject({ check: { name: 'disk', password: 'hunter2' } });
    expect((await ask('GET', LETTERS)).body).toEqual([]);
  });

  test('dead letters can be retried and dropped by handler or all together', async () => {
    await fail('pager', 'a', 'b');
    await fail('fail', 'c');
    const { received } = await openLineReceiver(port);
    expect((await ask('POST', `${LETTERS}/retry`, { handler: 'pager' })).body).toEqual({ retried: 2 });
    await vi.waitFor(() => expect(received).toHaveLength(2));
    expect((await ask('POST', `${LETTERS}/drop`, { handler: 'pager' })).body).toEqual({ dropped: 0 });
    expect((await ask('POST', `${LETTERS}/drop`, { all: true })).body).toEqual({ dropped: 1 });
    expect((await ask('GET', LETTERS)).body).toEqual([]);
  });

  test('a single dead letter can be dropped', async () => {
    const [letter] = await fail('fail', 'a');
    const target = `${LETTERS}/${String(letter?.id)}`;
    expect(await ask('DELETE', target)).toMatchObject({ status: 204 });
    for (const [method, path] of [
      ['DELETE', target],
      ['GET', target],
      ['POST', `${target}/retry`],
    ] as const) {
      expect(await ask(method, path)).toMatchObject({
        status: 404,
        body: { error: `there is no dead letter ${String(letter?.id)}` },
      });
    }
  });

  test('retries and drops of dead letters are recorded in the audit trail', async () => {
    const [first] = await fail('pager', 'a', 'b');
    await fail('fail', 'c');
    await openLineReceiver(port);
    await ask('POST', `${LETTERS}/${String(first?.id)}/retry`, {});
    await ask('POST', `${LETTERS}/drop`, { handler: 'pager' });
    // No dead letter of this handler is left, so nothing is dropped and nothing is recorded.
    await ask('POST', `${LETTERS}/drop`, { handler: 'pager' });
    await ask('POST', `${LETTERS}/drop`, { all: true });
    const { body } = await ask('GET', '/api/mon/v1/audit');
    expect(body).toMatchObject([
      {
        action: 'dead-letter.drop',
        target: 'all',
        before: { count: 1, letters: [{ handler: 'fail', client: 'c', check: 'disk' }] },
      },
      {
        action: 'dead-letter.drop',
        target: 'pager',
        before: { count: 1, letters: [{ handler: 'pager', client: 'b' }] },
      },
      {
        who: 'anonymous',
        from: '127.0.0.1',
        how: `POST ${LETTERS}/${String(first?.id)}/retry`,
        action: 'dead-letter.retry',
        target: String(first?.id),
        before: { id: first?.id, handler: 'pager', client: 'a', attempts: 1, reason: 'the connection was refused' },
        after: null,
      },
    ]);
    expect(body).toHaveLength(3);
  });

  test.each([[{}], [{ handler: 5 }], [{ all: false }], [{ all: true, handler: 'a' }], [[]], ['all']])(
    'a retry or drop of dead letters with the body %j is rejected',
    async (body) => {
      for (const what of ['retry', 'drop']) {
        expect(await ask('POST', `${LETTERS}/${what}`, body)).toMatchObject({
          status: 400,
          body: { error: 'say which ones: {"handler": "NAME"} or {"all": true}' },
        });
      }
    },
  );

  test.each(['nobody', '-1', '1e3', '99999999999999999999'])(
    'GET of a dead letter with the id %s returns 404',
    async (id) => {
      expect(await ask('GET', `${LETTERS}/${id}`)).toMatchObject({ status: 404 });
    },
  );
});

test('explain shows the last failed or successful delivery of each handler', async () => {
  const [letter] = await fail('pager', 'a');
  const delivery = async (): Promise<unknown> => {
    const { body } = await ask('GET', '/api/mon/v1/events/a/disk/explain');
    return (body as { handlers: readonly { delivery: unknown }[] }).handlers[0]?.delivery;
  };
  expect(await delivery()).toEqual({
    state: 'failed',
    at: expect.any(Number),
    attempts: 1,
    reason: 'the connection was refused',
  });
  await openLineReceiver(port);
  await ask('POST', `${LETTERS}/${String(letter?.id)}/retry`, {});
  await vi.waitFor(async () =>
    expect(await delivery()).toEqual({ state: 'delivered', at: expect.any(Number), attempts: 1 }),
  );
});

test('the list of handlers contains the numbers of queued, running, delivered and failed jobs', async () => {
  await fail('fail', 'a');
  const { received } = await openLineReceiver(port);
  await ask('POST', '/results', { source: 'b', name: 'disk', output: '', status: 1, handlers: ['pager', 'debug'] });
  await vi.waitFor(() => expect(received).toHaveLength(1));
  const idle = {
    queued: 0,
    running: 0,
    retrying: 0,
    delivered: 0,
    failed: 0,
    dead_letters: 0,
    last_error: null,
    oldest_age: null,
  };
  await vi.waitFor(async () =>
    expect((await ask('GET', '/api/mon/v1/handlers')).body).toEqual([
      { name: 'debug', type: 'built-in', ...idle, delivered: 1 },
      {
        name: 'fail',
        type: 'pipe',
        ...idle,
        failed: 1,
        dead_letters: 1,
        last_error: { at: expect.any(Number), reason: expect.any(String) },
      },
      { name: 'pager', type: 'tcp', ...idle, delivered: 1 },
    ]),
  );
});

test('the metrics contain the jobs of handlers and the dead letters', async () => {
  await fail('fail', 'a');
  const { text } = await ask('GET', '/metrics');
  const lines = text.split('\n');
  expect(lines).toContain('mon_handler_runs_total{handler="fail",outcome="failed"} 1');
  expect(lines).toContain('mon_handler_runs_total{handler="fail",outcome="delivered"} 0');
  expect(lines).toContain('mon_handler_jobs{handler="fail",state="waiting"} 0');
  expect(lines).toContain('mon_handler_oldest_job_age_seconds{handler="fail"} 0');
  expect(lines).toContain('mon_dead_letters 1');
  expect(lines).toContain('mon_dead_letters_dropped_total 0');
  expect((await ask('GET', '/health?deep=1')).body).toMatchObject({
    handlers: { queued: 0, running: 0, retrying: 0, dead_letters: 1, oldest_age: null },
  });
});
