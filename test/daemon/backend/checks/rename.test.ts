import { expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../../shared/client/api-client.ts';
import { MonError } from '../../../../shared/errors.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DEFINED = { checks: { disk: { command: 'df', subscribers: ['all'], interval: 60 } } };

function aClient(backend: string): ApiClient {
  return openApiClient({ backend, env: {} });
}

/** Submits results of a check: for each client one result per status, in this order. */
async function report(api: ApiClient, check: string, statuses: Readonly<Record<string, readonly number[]>>) {
  for (const [source, all] of Object.entries(statuses)) {
    await api.submitResults(
      all.map((status) => ({ source, name: check, status, output: `${check} is ${String(status)}` })),
    );
  }
}

async function histories(api: ApiClient, check: string): Promise<Record<string, readonly number[]>> {
  const results = await api.results({ check });
  return Object.fromEntries(results.map((result) => [result.client, result.check.history]));
}

test('a rename moves results, histories and events of a check, and nothing remains under the old name', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [0, 1, 2], 'web-002': [0, 0], 'web-003': [1] });
  await report(api, 'load', { 'web-001': [2] });
  const before = await api.event('web-001', 'disk');

  expect(await api.renameCheck('disk', 'disk-usage', false)).toEqual({ moved: 3 });

  expect(await histories(api, 'disk')).toEqual({});
  expect(await histories(api, 'disk-usage')).toEqual({ 'web-001': [0, 1, 2], 'web-002': [0, 0], 'web-003': [1] });
  expect(await api.event('web-001', 'disk')).toBeUndefined();
  expect(await api.event('web-001', 'disk-usage')).toEqual({
    ...before,
    check: { ...before?.check, name: 'disk-usage' },
  });
  expect((await api.events()).map((event) => `${event.client.name}/${event.check.name}`)).toEqual([
    'web-001/disk-usage',
    'web-001/load',
    'web-003/disk-usage',
  ]);
});

test('a list of events shows the joined history after a rename, even if the list was read before', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [0, 1, 0] });
  await report(api, 'disk-usage', { 'web-001': [2] });
  const shown = async (): Promise<unknown> => (await api.events()).map(({ check }) => check.history);
  expect(await shown()).toEqual([['2']]);
  await api.renameCheck('disk', 'disk-usage', true);
  expect(await shown()).toEqual([['0', '1', '0', '2']]);
});

test('a renamed event keeps its id and occurrences', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [2, 2] });
  const id = (await api.event('web-001', 'disk'))?.id;
  await api.renameCheck('disk', 'disk-usage', false);
  await report(api, 'disk-usage', { 'web-001': [2] });
  expect(await api.event('web-001', 'disk-usage')).toMatchObject({ id, occurrences: 3 });
});

test('a silence of the new name covers a renamed event from the rename on', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [2] });
  await api.silence({ check: 'disk-usage' });
  await api.renameCheck('disk', 'disk-usage', false);
  expect((await api.event('web-001', 'disk-usage'))?.silenced_by).toEqual(['*:disk-usage']);
});

test('a renamed check stays a member of its aggregates', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await api.submitResult({ source: 'web-001', name: 'disk', status: 1, output: 'full', aggregates: ['storage'] });
  await api.renameCheck('disk', 'disk-usage', false);
  expect(await api.aggregateClients('storage')).toEqual([{ name: 'web-001', checks: ['disk-usage'] }]);
  expect((await api.aggregate('storage'))?.results).toMatchObject({ warning: 1, total: 1 });
});

test('renaming a check to a name with results of the same client requires force', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [0, 2], 'web-002': [2], 'web-003': [1] });
  await report(api, 'disk-usage', { 'web-001': [2], 'web-002': [0] });
  const id = (await api.event('web-001', 'disk'))?.id;

  await expect(api.renameCheck('disk', 'disk-usage', false)).rejects.toMatchObject({
    code: 'conflict',
    message:
      '2 clients have results of both disk-usage and disk: use force to merge the results, with the history of disk first',
  });
  expect(Object.keys(await histories(api, 'disk'))).toEqual(['web-001', 'web-002', 'web-003']);

  expect(await api.renameCheck('disk', 'disk-usage', true)).toEqual({ moved: 3 });
  expect(await histories(api, 'disk')).toEqual({});
  expect(await histories(api, 'disk-usage')).toEqual({ 'web-001': [0, 2, 2], 'web-002': [2, 0], 'web-003': [1] });
  // The event of `web-001` stays open; the one of `web-002` was resolved by the OK result of the new name.
  expect(await api.event('web-001', 'disk-usage')).toMatchObject({ id, occurrences: 2 });
  expect((await api.events({ client: 'web-002' })).length).toBe(0);
});

test('repeating an interrupted rename completes the rename', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  // The state after an interruption between two chunks: one client has only the new name, the other only the old one.
  await report(api, 'disk-usage', { 'web-001': [1] });
  await report(api, 'disk', { 'web-002': [2] });
  expect(await api.renameCheck('disk', 'disk-usage', false)).toEqual({ moved: 1 });
  expect(Object.keys(await histories(api, 'disk-usage'))).toEqual(['web-001', 'web-002']);
});

test('a rename moves the results of more clients than fit into one chunk', async () => {
  await using backend = await startBackend();
  const api = aClient(backend.url);
  const sources = Array.from({ length: 450 }, (_, index) => `host-${String(index)}`);
  await api.submitResults(sources.map((source) => ({ source, name: 'disk', status: 0, output: 'ok' })));
  expect(await api.renameCheck('disk', 'disk-usage', false)).toEqual({ moved: 450 });
  expect((await api.results({ check: 'disk-usage' })).length).toBe(450);
  expect((await api.results({ check: 'disk' })).length).toBe(0);
});

test.each<[string, { settings?: Record<string, unknown>; from: string; to: string; code: string; message: RegExp }]>([
  [
    'the old name is still defined',
    {
      settings: DEFINED,
      from: 'disk',
      to: 'd',
      code: 'conflict',
      message: /still defined: change its name in the configuration and reload/,
    },
  ],
  [
    'the check has no results',
    { from: 'nope', to: 'd', code: 'not_found', message: /no client has results of the check nope/ },
  ],
  ['the new name equals the old name', { from: 'disk', to: 'disk', code: 'invalid', message: /already named disk/ }],
  ['the new name is not a valid name', { from: 'disk', to: 'a b', code: 'invalid', message: /^to: / }],
  [
    'the old name is that of a check of the backend itself',
    { from: 'keepalive', to: 'd', code: 'invalid', message: /is a built-in check and cannot be renamed/ },
  ],
  [
    'the new name is that of a check of the backend itself',
    { from: 'disk', to: 'keepalive', code: 'invalid', message: /is a built-in check and cannot be renamed/ },
  ],
])('a rename is rejected: %s', async (_, { settings = {}, from, to, code, message }) => {
  await using backend = await startBackend({ settings });
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [2] });
  await expect(api.renameCheck(from, to, false)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
  expect(await histories(api, 'disk')).toEqual({ 'web-001': [2] });
});

test('renaming to or from a defined check is possible with force', async () => {
  await using backend = await startBackend({ settings: DEFINED });
  const api = aClient(backend.url);
  await report(api, 'disk', { 'web-001': [2] });
  expect(await api.renameCheck('disk', 'disk-usage', true)).toEqual({ moved: 1 });
});

test('the result of a rename survives a restart, and the store contains nothing of the old name', async () => {
  const dir = await tempDir();
  const first = await openBackend({ dir });
  const before = aClient(first.url);
  await report(before, 'disk', { 'web-001': [0, 2, 2] });
  await before.renameCheck('disk', 'disk-usage', false);
  const [results, events] = await Promise.all([before.results(), before.events()]);
  await first.stop();

  const second = await openBackend({ dir });
  onTestFinished(() => second.stop());
  const after = aClient(second.url);
  expect(await after.results()).toEqual(results);
  expect(await after.events()).toEqual(events);
  expect(results.map(({ check }) => check.name)).toEqual(['disk-usage']);
});

test('results that arrive under the old and the new name during a rename are all in the joined history', async () => {
  await using backend = await startBackend({ batcher: { batchLimit: 16 } });
  const api = aClient(backend.url);
  const sources = Array.from({ length: 250 }, (_, at) => `host-${String(at)}`);
  const reportAll = (name: string, status: number): Promise<unknown> =>
    Promise.all(sources.map((source) => api.submitResult({ source, name, status, output: 'x' })));
  await reportAll('disk', 0);
  await Promise.all([
    reportAll('disk', 1),
    api.renameCheck('disk', 'disk-usage', true),
    reportAll('disk-usage', 2),
    api.renameCheck('disk', 'disk-usage', true).catch(ignoreNotFound),
  ]);
  await api.renameCheck('disk', 'disk-usage', true).catch(ignoreNotFound);

  const results = await api.results();
  expect(new Set(results.map(({ check }) => check.name))).toEqual(new Set(['disk-usage']));
  // The order of a client's results depends on the timing of the rename, but no result is lost or counted twice.
  expect(new Set(results.map(({ check }) => check.history.toSorted((a, b) => a - b).join(' ')))).toEqual(
    new Set(['0 1 2']),
  );
  const events = await api.events();
  expect(events.filter(({ check }) => check.name !== 'disk-usage')).toEqual([]);
});

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof MonError) || error.code !== 'not_found') throw error;
}
