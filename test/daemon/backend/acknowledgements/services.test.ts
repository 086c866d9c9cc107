import { expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { HttpReceiver } from '../../../support/http-receiver.ts';
import { startBackend } from '../../../support/running-backend.ts';

const bodies = ({ received }: HttpReceiver): unknown[] => received.map(({ body }) => JSON.parse(body) as unknown);

test('PagerDuty and Slack get a problem, its acknowledgement with the owner, and its resolution', async () => {
  const [pager, chat] = await Promise.all([HttpReceiver.open(), HttpReceiver.open()]);
  const backend = await startBackend({
    settings: {
      'public-url': 'https://mon.example.com',
      handlers: {
        pager: { type: 'webhook', preset: 'pagerduty', routing_key: 'key', url: pager.url },
        chat: { type: 'webhook', preset: 'slack', url: chat.url },
      },
    },
    batcher: { batchLimit: 1 },
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const api = openApiClient({ backend: backend.url, env: {} });
  const report = async (status: number, output: string): Promise<void> => {
    const result = { source: 'web-1', name: 'disk', output, status, handlers: ['pager', 'chat'] };
    const { ok } = await fetch(`${backend.url}/results`, { method: 'POST', body: JSON.stringify(result) });
    expect(ok).toBe(true);
  };

  await report(2, 'DISK CRITICAL - 96 % full|/=96%;80;90');
  await expect.poll(() => [pager.received.length, chat.received.length]).toEqual([1, 1]);
  await api.acknowledge({ client: 'web-1', check: 'disk', owner: 'ada', note: 'on it' });
  await expect.poll(() => [pager.received.length, chat.received.length]).toEqual([2, 2]);
  await report(0, 'DISK OK - 61 % full');
  await expect.poll(() => [pager.received.length, chat.received.length]).toEqual([3, 3]);

  const key = { routing_key: 'key', dedup_key: 'web-1/disk' };
  expect(bodies(pager)).toMatchObject([
    {
      ...key,
      event_action: 'trigger',
      client: 'mon',
      client_url: 'https://mon.example.com/api/mon/v1/events/web-1/disk',
      links: [{ text: 'Event', href: 'https://mon.example.com/api/mon/v1/events/web-1/disk' }],
      payload: {
        summary: 'CRITICAL web-1/disk: DISK CRITICAL - 96 % full',
        custom_details: { Command: 'mon --backend https://mon.example.com --open web-1/disk' },
      },
    },
    { ...key, event_action: 'acknowledge' },
    { ...key, event_action: 'resolve' },
  ]);
  const [problem, acknowledgement, resolution] = bodies(chat).map((body) => JSON.stringify(body));
  expect(problem).toContain('CRITICAL web-1/disk: DISK CRITICAL - 96 % full');
  expect(acknowledgement).toMatch(/ACKNOWLEDGED web-1\/disk by \S+: on it/);
  expect(resolution).toMatch(/RESOLVED web-1\/disk: DISK OK - 61 % full[^]*Acknowledged: by \S+ \(on it\)/);
});
