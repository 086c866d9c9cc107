import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
beforeEach(async () => {
  backend = await startBackend({});
  onTestFinished(() => backend[Symbol.asyncDispose]());
});

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });

/** Returns all metrics, by name with labels. */
async function series(): Promise<Map<string, number>> {
  const { status, text, headers } = await ask('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function feedLag(): Promise<number | undefined> {
  return (await series()).get('mon_feed_lag_seconds');
}

test('the metrics contain the number of objects that the backend holds', async () => {
  const results = [0, 1, 2, 3, 127, 2].map((status, index) => ({
    source: 'a',
    name: `c${String(index)}`,
    output: '',
    status,
  }));
  await ask('POST', '/api/mon/v1/results', results);
  await ask('POST', '/silenced', { check: 'c1' });
  await ask('POST', '/stash/a', {});
  const metrics = await series();
  expect(Object.fromEntries(metrics)).toMatchObject({
    'mon_events{severity="warning"}': 1,
    'mon_events{severity="critical"}': 2,
    'mon_events{severity="unknown"}': 2,
    'mon_results{severity="ok"}': 1,
    mon_clients: 1,
    mon_silences: 1,
    mon_stashes: 1,
    mon_results_committed_total: 6,
    mon_queued_results: 0,
    mon_store_failed_writes_total: 0,
    mon_agents_connected: 0,
    mon_feed_consumers: 0,
    mon_feed_lag_seconds: 0,
    'mon_build_info{version="1.0.0"}': 1,
  });
});

test('the metrics contain the number of results and the duration of every commit', async () => {
  await ask(
    'POST',
    '/api/mon/v1/results',
    Array.from({ length: 100 }, () => ({ name: 'a', output: '' })),
  );
  const metrics = await series();
  expect(metrics.get('mon_batch_results_sum')).toBe(100);
  expect(metrics.get('mon_batch_results_count')).toBe(1);
  expect(metrics.get('mon_batch_results_bucket{le="64"}')).toBe(0);
  expect(metrics.get('mon_batch_results_bucket{le="256"}')).toBe(1);
  expect(metrics.get('mon_commit_duration_seconds_count')).toBe(1);
  const [whole = 0, write = 0] = ['mon_commit_duration_seconds_sum', 'mon_store_write_duration_seconds_sum'].map(
    (name) => metrics.get(name),
  );
  expect(write).toBeGreaterThan(0);
  expect(whole).toBeGreaterThanOrEqual(write);
});

test('the metrics count every request under the pattern of its path', async () => {
  await ask('GET', '/events/web-1/disk');
  await ask('GET', '/events/web-2/disk');
  await ask('GET', '/nowhere/web-1');
  await ask('POST', '/stash/a/b/c', {});
  await ask('PUT', '/stashes', {});
  const metrics = await series();
  const count = (labels: string): number | undefined =>
    metrics.get(`mon_http_request_duration_seconds_count{${labels}}`);
  expect(count('method="GET",route="/events/:client/:check",status="404"')).toBe(2);
  expect(count('method="GET",route="unknown",status="404"')).toBe(1);
  expect(count('method="POST",route="/stash/*",status="201"')).toBe(1);
  expect(count('method="PUT",route="/stashes",status="405"')).toBe(1);
  expect([...metrics.keys()].filter((name) => name.includes('web-1'))).toEqual([]);
});

describe('agents', () => {
  test('connected agents and feed consumers are counted in the metrics', async () => {
    const agent = await AgentPeer.connect(backend.url);
    await agent.join();
    const consumer = await FeedPeer.subscribe(backend.url, { topics: ['events'] });
    await vi.waitFor(() => expect(consumer.all('live')).toHaveLength(1));
    expect(Object.fromEntries(await series())).toMatchObject({ mon_agents_connected: 1, mon_feed_consumers: 1 });
    agent.cut();
    await vi.waitFor(async () => expect((await series()).get('mon_agents_connected')).toBe(0));
  });

  test('rejected results of agents are counted by reason in the metrics', async () => {
    const agent = await AgentPeer.connect(backend.url);
    await agent.join('spool', { signature: 'right' });
    await ask('POST', '/clients', { name: 'gone', address: 'a' });
    await ask('DELETE', '/clients/gone');
    const check = { name: 'disk', output: 'o', status: 0 };
    agent.say({
      type: 'results',
      results: [
        { id: 1, signature: 'right', check },
        { id: 2, signature: 'wrong', check },
        { id: 3, signature: 'right', check: { ...check, name: 'no name' } },
        { id: 4, check: { ...check, source: 'gone' } },
      ],
    });
    await agent.waitForAck(4);
    expect(Object.fromEntries(await series())).toMatchObject({
      mon_results_committed_total: 1,
      'mon_results_rejected_total{reason="signature"}': 1,
      'mon_results_rejected_total{reason="invalid"}': 1,
      'mon_results_rejected_total{reason="quarantined"}': 1,
      'mon_results_rejected_total{reason="invalidated"}': 0,
    });
  });
});

test('the lag of a feed consumer in the metrics is the age of its oldest pending change', async () => {
  await backend[Symbol.asyncDispose]();
  const clock = new ManualClock();
  backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  const consumer = await FeedPeer.subscribe(backend.url, { topics: ['events'] });
  await vi.waitFor(() => {
    clock.advance(50);
    expect(consumer.all('live')).toHaveLength(1);
  });
  expect(await feedLag()).toBe(0);
  await ask('POST', '/results', { source: 'a', name: 'disk', output: '', status: 2 });
  clock.advance(30);
  expect(await feedLag()).toBeCloseTo(0.03);
  clock.advance(20);
  expect(await feedLag()).toBe(0);
});

test('the metrics contain the standard metrics of a process', async () => {
  const metrics = await series();
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
    'nodejs_heap_size_used_bytes',
  ]) {
    expect(metrics.get(name)).toBeGreaterThan(0);
  }
});
