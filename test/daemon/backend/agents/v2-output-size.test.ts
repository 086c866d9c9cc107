import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askV1 } from '../../../support/ask-v1.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { V2Peer } from '../../../support/v2-peer.ts';

const EVENT = '/namespaces/default/events/web-01/disk';
const OUTPUT = 'disk is full: 99 percent\n';

const clock = new ManualClock(Date.now());
let dir: string;
let backend: RunningBackend;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    settings: {
      'agent-listener': { port: 0 },
      handlers: { whole: { type: 'pipe', command: `cat > ${dir}/part && mv ${dir}/part ${dir}/handled` } },
    },
  });
});

afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('max_output_size truncates the output in the result and event of a v2 agent, but not for handlers', async () => {
  const v2 = new V2Peer(backend.url);
  await v2.put('/namespaces/default/checks/disk', {
    metadata: { name: 'disk', namespace: 'default' },
    command: 'check-disk',
    subscriptions: ['web'],
    handlers: ['whole'],
    interval: 10,
    publish: true,
    max_output_size: 12,
  });
  const agent = await GoAgent.joined(backend.agentUrl, { name: 'web-01' });
  await agent.register();
  clock.advance(10_000);
  const request = await agent.hears('check_request');
  expect(request['config']).toMatchObject({ max_output_size: 12 });

  agent.answerRequest(request, { status: 2, output: OUTPUT });
  const shown = await vi.waitFor(async () => {
    const { body, status } = await v2.get(EVENT);
    expect(status).toBe(200);
    return body;
  });
  expect(shown).toMatchObject({ check: { status: 2, output: 'disk is full', max_output_size: 12 } });
  expect((await v2.get('/namespaces/default/events')).body).toContainEqual(shown);
  expect(await askV1(backend.url, 'GET', '/events/web-01/disk')).toMatchObject({ check: { output: 'disk is full' } });
  expect(await askV1(backend.url, 'GET', '/results/web-01/disk')).toMatchObject({ check: { output: 'disk is full' } });
  const handled = await vi.waitFor(() => readFile(join(dir, 'handled'), 'utf8'));
  expect(JSON.parse(handled)).toMatchObject({ check: { output: OUTPUT } });

  // The output of an OK result is truncated too.
  agent.answerRequest(request, { status: 0, output: 'all is fine here\n' });
  await vi.waitFor(async () =>
    expect((await v2.get(EVENT)).body).toMatchObject({ check: { status: 0, output: 'all is fine ' } }),
  );
  agent.cut();
});
