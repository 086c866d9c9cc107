import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const NOW = ManualClock.START_MS / 1000;
const YEAR = 366 * 24 * 3600;

let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({ clock: new ManualClock(), batcher: { batchLimit: 1 } });
});
afterAll(() => backend[Symbol.asyncDispose]());

const post = (target: string, body: object): Promise<Answer> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });
const executedOf = async (client: string): Promise<unknown> =>
  (await openApiClient({ backend: backend.url }).result(client, 'disk'))?.check.executed;

describe('the limits of times (security S13)', () => {
  test.each([
    { begin: 0, status: 201 },
    { begin: NOW + 99 * YEAR, status: 201 },
    { begin: -1, status: 400 },
    { begin: NOW + 101 * YEAR, status: 400 },
    { begin: 9e15, status: 400 },
    { expire: 99 * YEAR, status: 201 },
    { expire: 101 * YEAR, status: 400 },
    { expire: -2, status: 400 },
    { expire: 1.5, status: 400 },
  ])('creating a silence with begin $begin and expire $expire returns $status', async ({ status, ...times }) => {
    const answer = await post('/silenced', { check: 'disk', ...times });
    expect(answer.status).toBe(status);
  });

  test.each([
    { executed: NOW - 3600, kept: NOW - 3600 },
    { executed: NOW + 10, kept: NOW },
    { executed: NOW + 1000 * YEAR, kept: NOW },
  ])(
    'a result with the execution time $executed is stored with $kept, sent by the API or by an agent',
    async ({ executed, kept }) => {
      await post('/results', { source: 'api-1', name: 'disk', output: '', executed });
      expect(await executedOf('api-1')).toBe(kept);
      const agent = await AgentPeer.connect(backend.url);
      await agent.join(`spool-${String(executed)}`);
      agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: '', status: 0, executed } }] });
      await agent.waitForAck(1);
      agent.cut();
      expect(await executedOf('web-1')).toBe(kept);
    },
  );

  test('a result with an execution time before 1970 is rejected', async () => {
    expect((await post('/results', { source: 'api-1', name: 'disk', output: '', executed: -1 })).status).toBe(400);
  });

  test.each([
    { expire: 99 * YEAR, status: 201 },
    { expire: 101 * YEAR, status: 400 },
  ])('creating a stash that expires in $expire seconds returns $status', async ({ expire, status }) => {
    expect((await post('/stashes', { path: 'a', content: {}, expire })).status).toBe(status);
  });
});
