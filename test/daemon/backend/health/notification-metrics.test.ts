import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../../scripts/lib/free-port.ts';
import { asking, type Ask } from '../../../support/asking.ts';
import { HttpReceiver } from '../../../support/http-receiver.ts';
import { openLineReceiver } from '../../../support/line-receiver.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/**
 * Starts a backend with these settings for the duration of the test, and returns a function that sends requests to it.
 */
async function open(settings: Readonly<Record<string, unknown>>, clock?: ManualClock): Promise<Ask> {
  const batcher = { batchLimit: 1 };
  const backend = await startBackend({ settings, ...(clock !== undefined && { clock, batcher }) });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return asking(backend.url);
}

async function report(ask: Ask, status: number, attributes: object): Promise<void> {
  const result = { source: 'web-1', name: 'disk', output: 'full', status, ...attributes };
  expect(await ask('POST', '/results', result)).toMatchObject({ status: 202 });
}

/** Returns the metric series whose name begins with this text, except those with the value 0. */
async function seriesWithPrefix(ask: Ask, name: string): Promise<Record<string, number>> {
  const series = await seriesOf(ask, name);
  return Object.fromEntries(Object.entries(series).filter(([, value]) => value !== 0));
}

async function seriesOf(ask: Ask, name: string): Promise<Record<string, number>> {
  const { text } = await ask('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('failed notifications are counted by handler and reason, and delivered notifications by handler', async () => {
  const receiver = await HttpReceiver.open();
  receiver.status = 404;
  const { port } = await openLineReceiver();
  const freed = join(await tempDir(), 'freed');
  const localhost = { host: '127.0.0.1', port: await freePort() };
  const ask = await open({
    handlers: {
      delivers: { type: 'tcp', socket: { host: '127.0.0.1', port } },
      hangs: { type: 'pipe', command: 'sleep 600', timeout: 0.1 },
      'is-down': { type: 'tcp', socket: localhost },
      rejects: { type: 'webhook', url: receiver.url },
      exits: { type: 'pipe', command: 'cat >/dev/null; exit 3' },
      'has-no-mutator': { type: 'pipe', command: 'true', mutator: 'nobody' },
      'is-full': {
        type: 'pipe',
        command: `until [ -e ${freed} ]; do sleep 0.05; done`,
        concurrency: 1,
        queue_limit: 1,
      },
      'is-too-large': { type: 'udp', socket: localhost, mutator: 'only_check_output' },
    },
  });
  const handlers = ['delivers', 'hangs', 'is-down', 'rejects', 'exits', 'has-no-mutator', 'is-too-large'];
  await report(ask, 2, { handlers, output: 'x'.repeat(70_000) });
  for (const name of ['a', 'b', 'c']) await report(ask, 2, { name, handlers: ['is-full'] });
  await vi.waitFor(async () =>
    expect(await seriesWithPrefix(ask, 'mon_notifications_failed_total')).toEqual({
      '{handler="hangs",reason="timeout"}': 1,
      '{handler="is-down",reason="connection"}': 1,
      '{handler="rejects",reason="response"}': 1,
      '{handler="exits",reason="exit_status"}': 1,
      '{handler="has-no-mutator",reason="mutator"}': 1,
      '{handler="is-full",reason="overflow"}': 1,
      '{handler="is-too-large",reason="other"}': 1,
    }),
  );
  await writeFile(freed, '');
  await vi.waitFor(async () =>
    expect(await seriesWithPrefix(ask, 'mon_notifications_total')).toEqual({
      '{handler="delivers"}': 1,
      '{handler="is-full"}': 2,
    }),
  );
});

test('the notification counters of a handler are 0 before its first run', async () => {
  const ask = await open({
    handlers: { mail: { type: 'pipe', command: 'true' }, all: { type: 'set', handlers: ['mail'] } },
  });
  expect(await seriesOf(ask, 'mon_notifications_total')).toEqual({ '{handler="mail"}': 0 });
  expect(await seriesOf(ask, 'mon_notifications_failed_total')).toEqual({
    '{handler="mail",reason="timeout"}': 0,
    '{handler="mail",reason="connection"}': 0,
    '{handler="mail",reason="response"}': 0,
    '{handler="mail",reason="exit_status"}': 0,
    '{handler="mail",reason="mutator"}': 0,
    '{handler="mail",reason="overflow"}': 0,
    '{handler="mail",reason="other"}': 0,
  });
});

test('a notification that is delivered by a retry does not count as failed', async () => {
  const clock = new ManualClock();
  const receiver = await HttpReceiver.open();
  receiver.status = 503;
  const ask = await open({ handlers: { chat: { type: 'webhook', url: receiver.url } } }, clock);
  await report(ask, 2, { handlers: ['chat'] });
  await vi.waitFor(async () =>
    expect(await seriesWithPrefix(ask, 'mon_handler_runs_total')).toEqual({ '{handler="chat",outcome="retried"}': 1 }),
  );
  expect(await seriesOf(ask, 'mon_notification_latency_seconds_count')).toEqual({ '': 0 });
  receiver.status = 204;
  clock.advance(20_000);
  await vi.waitFor(async () =>
    expect(await seriesWithPrefix(ask, 'mon_notifications_total')).toEqual({ '{handler="chat"}': 1 }),
  );
  expect(await seriesWithPrefix(ask, 'mon_notifications_failed_total')).toEqual({});
  // The latency includes the 20 seconds before the retry.
  expect(await seriesOf(ask, 'mon_notification_latency_seconds_bucket')).toMatchObject({
    '{le="10"}': 0,
    '{le="30"}': 1,
    '{le="+Inf"}': 1,
  });
  expect(await seriesOf(ask, 'mon_notification_latency_seconds_sum')).toEqual({ '': 20 });
});

test('suppressed notifications are counted by the reason for suppression', async () => {
  const ask = await open({
    handlers: {
      mail: { type: 'pipe', command: 'true' },
      night: { type: 'pipe', command: 'true', filter: 'night' },
      pager: { type: 'pipe', command: 'true', severities: ['critical'] },
      openings: { type: 'pipe', command: 'true', filter: 'openings' },
    },
    filters: {
      night: { attributes: { check: { name: 'backup' } } },
      openings: { negate: true, attributes: { action: 'create' } },
    },
    inhibitions: { router: { source: 'check=router', target: 'check=web', equal: ['client.name'] } },
  });
  await ask('POST', '/silenced', { check: 'silenced' });
  await report(ask, 2, { name: 'silenced', handlers: ['mail', 'night'] });
  await report(ask, 2, { name: 'router', handlers: ['night', 'openings', 'nobody'] });
  await report(ask, 2, { name: 'web', handlers: ['mail'] });
  await report(ask, 1, { name: 'load', handlers: ['pager'] });
  await report(ask, 2, { name: 'quiet', handle: false, handlers: ['mail'] });
  await report(ask, 2, { name: 'disk', source: 'db-1', handlers: ['mail'] });
  await ask('POST', '/api/mon/v1/acknowledgements', { client: 'db-1', check: 'disk' });
  await report(ask, 2, { name: 'disk', source: 'db-1', handlers: ['mail'] });
  expect(await seriesOf(ask, 'mon_notifications_suppressed_total')).toEqual({
    '{reason="disabled"}': 1,
    '{reason="action"}': 0,
    '{reason="severity"}': 1,
    '{reason="silenced"}': 2,
    '{reason="inhibited"}': 1,
    '{reason="acknowledged"}': 1,
    '{reason="filtered"}': 2,
    '{reason="overflow"}': 0,
    '{reason="nobody_on_call"}': 0,
    '{reason="unknown_handler"}': 1,
    '{reason="unknown_pipeline"}': 0,
    '{reason="empty_pipeline"}': 0,
    '{reason="nested_set"}': 0,
    '{reason="nested_escalation"}': 0,
  });
});

test('an event counts as a pending notification until its group is flushed', async () => {
  const clock = new ManualClock();
  const ask = await open(
    { handlers: { chat: { type: 'pipe', command: 'true', group_by: ['check'], group_wait: 30 } } },
    clock,
  );
  for (const source of ['a', 'b']) await report(ask, 2, { source, handlers: ['chat'] });
  expect(await seriesWithPrefix(ask, 'mon_notifications_pending')).toEqual({ '{kind="group"}': 2 });
  clock.advance(31_000);
  await vi.waitFor(async () => expect(await seriesWithPrefix(ask, 'mon_notifications_pending')).toEqual({}));
  await vi.waitFor(async () =>
    expect(await seriesWithPrefix(ask, 'mon_notifications_total')).toEqual({ '{handler="chat"}': 1 }),
  );
});

test('a resolution counts as a pending notification until its silence ends', async () => {
  const ask = await open({ handlers: { mail: { type: 'pipe', command: 'true' } } });
  for (const name of ['disk', 'load']) await report(ask, 2, { name, handlers: ['mail'] });
  await ask('POST', '/silenced', { subscription: 'client:web-1' });
  for (const name of ['disk', 'load']) await report(ask, 0, { name, handlers: ['mail'] });
  expect(await seriesWithPrefix(ask, 'mon_notifications_pending')).toEqual({ '{kind="resolution"}': 2 });
  // The same problem resolves again while the first resolution is still pending.
  for (const status of [2, 0]) await report(ask, status, { handlers: ['mail'] });
  expect(await seriesWithPrefix(ask, 'mon_notifications_pending')).toEqual({ '{kind="resolution"}': 2 });
  await ask('POST', '/silenced/clear', { subscription: 'client:web-1' });
  await vi.waitFor(async () => expect(await seriesWithPrefix(ask, 'mon_notifications_pending')).toEqual({}));
});

test('an API key of one namespace sees no notification counters of handlers in other namespaces', async () => {
  await using backend = await startBackend({ settings: { handlers: { mail: { type: 'pipe', command: 'true' } } } });
  const ask = asking(backend.url);
  await ask('POST', '/api/core/v2/namespaces', { name: 'shop' });
  await ask('POST', '/api/core/v2/namespaces/shop/handlers', {
    metadata: { name: 'pager', namespace: 'shop' },
    type: 'pipe',
    command: 'true',
  });
  await ask('POST', '/api/core/v2/users', { username: 'reader', password: 'long enough', groups: ['viewers'] });
  expect(await seriesOf(ask, 'mon_notifications_total')).toEqual({
    '{handler="mail"}': 0,
    '{handler="shop/pager"}': 0,
  });
  const { body } = await ask('POST', '/api/core/v2/apikeys', { username: 'reader', namespace: 'default' });
  const limited = asking(backend.url, `Key ${(body as { readonly key: string }).key}`);
  expect(await seriesOf(limited, 'mon_notifications_total')).toEqual({ '{handler="mail"}': 0 });
  expect(Object.keys(await seriesOf(limited, 'mon_notifications_failed_total')).join()).not.toContain('pager');
});
