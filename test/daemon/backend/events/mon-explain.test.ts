import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Explanation, Simulation } from '../../../../shared/schemas/explain.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const SETTINGS = {
  handlers: {
    mail: PIPE,
    pager: { ...PIPE, severities: ['critical'] },
    audit: { ...PIPE, handle_silenced: true },
    calm: { ...PIPE, filter: 'occurrences' },
    staging: { ...PIPE, filters: ['staging', 'gone'] },
    wrapped: { ...PIPE, mutator: 'gone' },
    dependent: { ...PIPE, filter: 'check_dependencies' },
  },
  filters: { staging: { attributes: { client: { environment: 'staging' } } } },
};

let backend: RunningBackend;
beforeEach(async () => {
  const own = await startBackend({ settings: SETTINGS });
  onTestFinished(() => own[Symbol.asyncDispose]());
  backend = own;
});

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });

const report = (status: number, attributes = {}): Promise<Answer> =>
  ask('POST', '/results', { source: 'web-1', name: 'disk', status, output: 'o', ...attributes });

async function explain(client = 'web-1', check = 'disk'): Promise<Explanation> {
  const { status, body } = await ask('GET', `/api/mon/v1/events/${client}/${check}/explain`);
  expect(status).toBe(200);
  return body as Explanation;
}

const verdicts = ({ handlers }: Explanation | Simulation): string[] =>
  handlers.map(({ handler, verdict }) => `${handler} ${verdict}`);

describe('explain for an event', () => {
  test('explain shows for each handler whether it handles the event, and why', async () => {
    await report(1, { handlers: ['mail', 'pager', 'staging', 'calm', 'wrapped', 'nope'], occurrences: 2 });
    const { event, reason, handlers } = await explain();
    expect(event).toMatchObject({ status: 1, action: 'create', occurrences: 1, silenced_by: [] });
    expect(reason).toBe('mail, wrapped handle it, pager, staging, calm, nope do not');
    expect(handlers.map(({ delivery: _delivery, notified: _notified, ...verdict }) => verdict)).toEqual([
      { handler: 'mail', verdict: 'handle', reason: 'all conditions are met' },
      { handler: 'pager', verdict: 'severity', reason: 'its severity is warning, and the handler accepts critical' },
      {
        handler: 'staging',
        verdict: 'filtered',
        reason: 'filtered by staging: client.environment is not "staging"',
        filter: 'staging',
        attribute: 'client.environment',
      },
      {
        handler: 'calm',
        verdict: 'filtered',
        reason: 'filtered by occurrences: not enough occurrences',
        filter: 'occurrences',
        next_occurrence: 2,
      },
      {
        handler: 'wrapped',
        verdict: 'unknown_mutator',
        reason: 'its mutator gone is not defined, so the run will fail',
      },
      { handler: 'nope', verdict: 'unknown_handler', reason: 'no handler with this name is defined' },
    ]);
  });

  test('explain says which handlers were notified of the event, and at which occurrence they are notified again', async () => {
    const check = { handlers: ['calm', 'nope'], interval: 30, refresh: 300 };
    await report(2, check);
    const [calm, nope] = (await explain()).handlers;
    expect(calm).toMatchObject({ handler: 'calm', verdict: 'handle', notified: true });
    expect(nope).toMatchObject({ handler: 'nope', notified: false });
    await report(2, check);
    const [later] = (await explain()).handlers;
    expect(later).toMatchObject({ verdict: 'filtered', filter: 'occurrences', notified: true, next_occurrence: 11 });
  });

  test('explain shows the silences that cover the event at that time', async () => {
    await report(2, { handlers: ['mail', 'audit'] });
    await ask('POST', '/silenced', { check: 'disk' });
    expect(await explain()).toMatchObject({
      event: { silenced_by: ['*:disk'] },
      reason: 'audit handles it, mail does not',
      handlers: [{ verdict: 'silenced', silenced_by: ['*:disk'] }, { verdict: 'handle' }],
    });
    await ask('POST', '/silenced/clear', { check: 'disk' });
    expect(verdicts(await explain())).toEqual(['mail handle', 'audit handle']);
  });

  test.each<{ name: string; attributes: object; reason: string }>([
    {
      name: 'no handler is named',
      attributes: { handlers: [] },
      reason: 'no handler runs: its check has no handlers',
    },
    {
      name: 'the only handler is not defined',
      attributes: {},
      reason: 'no handler runs: default: no handler with this name is defined',
    },
    {
      name: 'all handlers have the same reason',
      attributes: { handlers: ['mail', 'audit'], handle: false },
      reason: 'no handler runs: its check has handle: false',
    },
    {
      name: 'each handler has its own reason',
      attributes: { handlers: ['staging', 'nope'] },
      reason: 'no handler runs: each handler has its own reason',
    },
  ])('explain gives the reason when no handler runs: $name', async ({ attributes, reason }) => {
    await report(2, attributes);
    expect((await explain()).reason).toBe(reason);
  });

  test('explain shows the last delivery of each handler, even after the event resolved', async () => {
    await report(2, { handlers: ['mail', 'wrapped'] });
    const seconds = expect.any(Number) as number;
    await vi.waitFor(async () =>
      expect((await explain()).handlers.map(({ delivery }) => delivery)).toEqual([
        { state: 'delivered', at: seconds, attempts: 1 },
        { state: 'failed', at: seconds, attempts: 1, reason: expect.stringContaining('gone') as string },
      ]),
    );
    const { handlers } = await explain();
    expect(Math.abs((handlers[0]?.delivery?.at ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    await report(0, { handlers: ['mail'] });
    expect(await explain()).toMatchObject({
      event: null,
      reason: 'there is no event: its last result is OK',
      handlers: [{ handler: 'mail', verdict: 'no_event', delivery: { attempts: 1 } }],
    });
  });

  test('explain shows that a failed delivery will be retried', async () => {
    const receiver = createServer((_request, response) => response.writeHead(503).end());
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void receiver.close());
    const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/`;
    await using other = await startBackend({
      settings: { handlers: { hook: { type: 'webhook', url, retry: { attempts: 3, delay: 3600, max_delay: 3600 } } } },
    });
    backend = other;
    await report(2, { handler: 'hook' });
    await vi.waitFor(async () =>
      expect((await explain()).handlers).toMatchObject([
        { handler: 'hook', verdict: 'handle', delivery: { state: 'retrying', attempts: 1 } },
      ]),
    );
  });

  test('explain returns 404 for an unknown check and 405 for other methods than GET', async () => {
    await report(0);
    expect(await ask('GET', '/api/mon/v1/events/web-1/load/explain')).toMatchObject({
      status: 404,
      body: { error: 'there is no event and no result of web-1/load' },
    });
    expect(await ask('GET', '/api/mon/v1/events/web-2/disk/explain')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/api/mon/v1/events/web-1/disk/explain', {})).toMatchObject({ status: 405 });
  });

  test('explain uses the open event if its result was deleted', async () => {
    await report(2, { handler: 'mail' });
    await ask('DELETE', '/results/web-1/disk');
    expect(verdicts(await explain())).toEqual(['mail handle']);
  });
});

async function simulate(result: object): Promise<Simulation> {
  const { status, body } = await ask('POST', '/api/mon/v1/simulate', {
    source: 'web-1',
    name: 'disk',
    output: 'o',
    ...result,
  });
  expect(status).toBe(200);
  return body as Simulation;
}

describe('simulate for a result', () => {
  test('simulate shows the effect of a result on the event and changes nothing', async () => {
    const simulation = await simulate({ status: 2, handlers: ['mail', 'pager', 'nope'] });
    expect(simulation).toMatchObject({
      client: 'web-1',
      check: 'disk',
      transition: 'open',
      reason: 'an event would open: mail, pager handle it, nope does not',
      event: { client: { name: 'web-1', type: 'proxy' }, check: { status: 2, history: ['2'] }, occurrences: 1 },
    });
    expect(verdicts(simulation)).toEqual(['mail handle', 'pager handle', 'nope unknown_handler']);
    const lists = ['/clients', '/results', '/events', '/api/mon/v1/dead-letters'];
    expect(await Promise.all(lists.map(async (list) => (await ask('GET', list)).body))).toEqual([[], [], [], []]);
    expect(backend.log.messages('error')).toEqual([]);
  });

  test('simulate starts from the current state of the event', async () => {
    await report(2);
    await report(2);
    expect(await simulate({ status: 2, handlers: ['calm'], occurrences: 3 })).toMatchObject({
      transition: 'open',
      reason: 'the event would stay open: calm handles it',
      event: { occurrences: 3 },
    });
    expect(await simulate({ status: 0, handlers: ['mail'] })).toMatchObject({
      transition: 'resolve',
      reason: 'the event would be resolved: mail handles it',
      event: { action: 'resolve', occurrences: 2 },
    });
    expect((await ask('GET', '/events/web-1/disk')).body).toMatchObject({ occurrences: 2 });
  });

  test.each<{ name: string; before: readonly object[]; result: object; reason: string }>([
    {
      name: 'an OK result without an event',
      before: [],
      result: { status: 0 },
      reason: 'nothing to handle: the result is OK, and there is no event',
    },
    {
      name: 'an OK result with auto_resolve: false',
      before: [{ status: 2 }],
      result: { status: 0, auto_resolve: false },
      reason: 'nothing to handle: the result is OK, and the event stays open because auto_resolve is false',
    },
    {
      name: 'a result with force_resolve without an event',
      before: [],
      result: { status: 2, force_resolve: true },
      reason: 'nothing to handle: the result has force_resolve set, and there is no event',
    },
  ])('simulate gives the reason when a result would have no effect: $name', async ({ before, result, reason }) => {
    for (const one of before) await ask('POST', '/results', { source: 'web-1', name: 'disk', output: 'o', ...one });
    expect(await simulate(result)).toMatchObject({ transition: 'none', event: null, reason, handlers: [] });
  });

  test('a simulated metric result runs handlers in the simulation and is not stored', async () => {
    expect(await simulate({ status: 0, type: 'metric', handler: 'mail' })).toMatchObject({
      transition: 'metric',
      reason: 'the result would be handled as a metric, and no event would be stored: mail handles it',
    });
  });

  test('a simulated resolution ends an expire_on_resolve silence only in the simulation', async () => {
    await report(2);
    await ask('POST', '/silenced', { check: 'disk', expire_on_resolve: true });
    expect(await simulate({ status: 2, handler: 'mail' })).toMatchObject({ event: { silenced_by: ['*:disk'] } });
    const resolved = await simulate({ status: 0, handler: 'mail' });
    expect(resolved).toMatchObject({ event: { silenced_by: [] }, handlers: [{ verdict: 'handle' }] });
    expect((await ask('GET', '/silenced')).body).toHaveLength(1);
  });

  test('a simulated event that depends on its own check uses the simulated state of the check', async () => {
    const result = { handler: 'dependent', dependencies: ['disk', 'subscription:client:web-1/disk'] };
    expect(verdicts(await simulate({ ...result, status: 2 }))).toEqual(['dependent filtered']);
    await report(2);
    expect(verdicts(await simulate({ ...result, status: 0 }))).toEqual(['dependent handle']);
  });

  test('simulate merges the definition of the check into the result', async () => {
    await using other = await startBackend({
      settings: {
        ...SETTINGS,
        checks: { disk: { command: 'df', subscribers: ['base'], interval: 60, handler: 'mail', token: 'x' } },
      },
    });
    backend = other;
    expect(verdicts(await simulate({ status: 2 }))).toEqual(['mail handle']);
  });

  test('the response of simulate contains no secrets', async () => {
    await ask('POST', '/clients', { name: 'web-1', address: 'a', password: 'hunter2' });
    const { text } = await ask('POST', '/api/mon/v1/simulate', {
      source: 'web-1',
      name: 'disk',
      output: 'o',
      status: 2,
      db: { api_key: 'hunter3' },
    });
    expect(text).toContain('REDACTED');
    expect(text).not.toMatch(/hunter/);
  });

  test('simulate rejects the same results as POST /results, each with a remedy', async () => {
    expect(await ask('POST', '/api/mon/v1/simulate', { name: 'disk' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('output') as string },
    });
    await ask('POST', '/clients', { name: 'web-1', address: 'a' });
    await ask('DELETE', '/clients/web-1?invalidate=true&invalidate_expire=60');
    expect(
      await ask('POST', '/api/mon/v1/simulate', { source: 'web-1', name: 'disk', output: 'o', status: 2 }),
    ).toMatchObject({ status: 403, body: { error: expect.stringContaining('invalidate') as string } });
    expect(await ask('GET', '/api/mon/v1/simulate')).toMatchObject({ status: 405 });
  });
});
