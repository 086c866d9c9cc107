import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Definitions } from '../../../../daemon/backend/model/config/definitions.ts';
import { Batcher } from '../../../../daemon/backend/commit/batcher.ts';
import { Clients } from '../../../../daemon/backend/clients/commands.ts';
import { EntityLimit } from '../../../../daemon/backend/model/clients/entity-limit.ts';
import { Results } from '../../../../daemon/backend/results/commands.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { CLIENT_BANS, TOMBSTONES } from '../../../../daemon/backend/model/clients/storage.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';

const QUARANTINE_MS = 60_000;

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

const ask: Ask = (...request) => rig.ask(...request);
const names = async (): Promise<unknown[]> =>
  ((await ask('GET', '/clients')).body as readonly { name: string }[]).map(({ name }) => name);
const seconds = (): number => Math.floor(rig.clock.now() / 1000);

/** Returns an agent whose hello was accepted. */
async function agent(name = 'web-1', about: Readonly<Record<string, unknown>> = {}): Promise<AgentPeer> {
  const peer = await AgentPeer.connect(rig.url, name);
  await peer.join('spool', { timestamp: seconds(), ...about });
  return peer;
}

async function report(peer: AgentPeer, id: number, check: Readonly<Record<string, unknown>> = {}): Promise<void> {
  peer.say({ type: 'results', results: [{ id, check: { name: 'disk', output: 'full', status: 2, ...check } }] });
  await peer.waitForAck(id);
}

async function storedRecords(table: string): Promise<unknown[]> {
  await rig.stop();
  const store = await openLevelStore(rig.dir);
  const keys: unknown[] = [];
  for await (const [key] of store.scan([table])) keys.push(key.at(-1));
  await store.close();
  return keys;
}

describe('the quarantine of a deleted client (user-demands 24)', () => {
  test('late results of a deleted client are acknowledged and do not create the client again', async () => {
    const peer = await agent();
    await report(peer, 1);
    expect((await ask('DELETE', '/clients/web-1')).status).toBe(202);
    await report(peer, 2, { executed: seconds() - 5 });
    await report(peer, 3);
    expect(await names()).toEqual([]);
    expect((await ask('GET', '/results')).body).toEqual([]);
  });

  test('late results of a deleted proxy client do not create the client again during the quarantine', async () => {
    const peer = await agent();
    await report(peer, 1, { source: 'switch-1' });
    await ask('DELETE', '/clients/switch-1');
    await report(peer, 2, { source: 'switch-1' });
    expect(await names()).toEqual(['web-1']);
    rig.clock.advance(QUARANTINE_MS);
    await report(await agent(), 3, { source: 'switch-1' });
    expect(await names()).toEqual(['switch-1', 'web-1']);
  });

  test('a keepalive that was sent before the deletion does not create the client again', async () => {
    const peer = await agent();
    await ask('DELETE', '/clients/web-1');
    peer.say({ type: 'keepalive', client: { name: 'web-1', address: 'a', timestamp: seconds() } });
    expect(await peer.hears('error')).toMatchObject({ code: 'conflict' });
    expect(await names()).toEqual([]);
  });

  test('a keepalive that was sent after the deletion creates the client again', async () => {
    const peer = await agent();
    await ask('DELETE', '/clients/web-1');
    rig.clock.advance(1000);
    peer.say({ type: 'keepalive', client: { name: 'web-1', address: 'a', timestamp: seconds() } });
    await vi.waitFor(async () => expect(await names()).toEqual(['web-1']));
    await report(peer, 1);
    expect((await ask('GET', '/results/web-1/disk')).status).toBe(200);
  });

  test('a deleted client can be created again at once over the API', async () => {
    await ask('POST', '/clients', { name: 'web-1', address: 'a' });
    await ask('DELETE', '/clients/web-1');
    expect((await ask('POST', '/results', { name: 'disk', output: 'o', source: 'web-1' })).status).toBe(202);
    await ask('DELETE', '/clients/web-1');
    expect((await ask('POST', '/clients', { name: 'web-1', address: 'a' })).status).toBe(201);
  });

  test('the quarantine of a deleted client ends after a minute, even across restarts, and leaves the store', async () => {
    await report(await agent('proxying'), 1, { source: 'switch-1' });
    await ask('DELETE', '/clients/switch-1');
    rig.clock.advance(QUARANTINE_MS / 2);
    expect(await storedRecords(TOMBSTONES.prefix)).toEqual(['switch-1']);
    await rig.start();
    const again = await agent('proxying');
    await report(again, 2, { source: 'switch-1' });
    expect(await names()).toEqual(['proxying']);
    rig.clock.advance(QUARANTINE_MS / 2);
    expect(await storedRecords(TOMBSTONES.prefix)).toEqual([]);
  });
});

test('a client-quarantine of 0 lets late results create a deleted client again', async () => {
  await rig.stop();
  await rig.start({ fixedLimits: { quarantineSeconds: 0 } });
  const peer = await agent();
  await report(peer, 1, { source: 'switch-1' });
  await ask('DELETE', '/clients/switch-1');
  await report(peer, 2, { source: 'switch-1' });
  expect(await names()).toEqual(['switch-1', 'web-1']);
});

describe('a client deleted with invalidate', () => {
  const BAN_SECONDS = 300;
  beforeEach(async () => {
    await ask('POST', '/clients', { name: 'web-1', address: 'a' });
    await ask('DELETE', `/clients/web-1?invalidate=true&invalidate_expire=${String(BAN_SECONDS)}`);
  });

  test('a result sent over the API cannot create a client again that was deleted with invalidate', async () => {
    const answer = await ask('POST', '/results', { name: 'disk', output: 'o', source: 'web-1' });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        error: 'the client web-1 was deleted with invalidate: to allow the client again, create it with POST /clients',
      },
    });
    expect(await names()).toEqual([]);
  });

  test('an array of results is stored except for results of a client that was deleted with invalidate', async () => {
    const answer = await ask('POST', '/api/mon/v1/results', [
      { name: 'disk' },
      { name: 'disk', output: 'o', source: 'db-1' },
      { name: 'disk', output: 'o', source: 'web-1' },
    ]);
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1, rejected: [{ index: 0 }, { index: 2 }] } });
    expect(await names()).toEqual(['db-1']);
  });

  test('an agent cannot register again before the ban of a client that was deleted with invalidate ends', async () => {
    rig.clock.advance(2 * QUARANTINE_MS);
    await report(await agent('proxying'), 1, { source: 'web-1' });
    const refused = await AgentPeer.connect(rig.url, 'web-1');
    refused.greet('spool', { timestamp: seconds() });
    expect(await refused.hears('error')).toMatchObject({ code: 'forbidden' });
    expect(await names()).toEqual(['proxying']);
    rig.clock.advance(BAN_SECONDS * 1000 - 2 * QUARANTINE_MS);
    await report(await agent('proxying'), 2, { source: 'web-1' });
    expect(await names()).toEqual(['proxying', 'web-1']);
    expect(await storedRecords(CLIENT_BANS.prefix)).toEqual([]);
  });

  test('creating a client over the API ends the ban of a client that was deleted with invalidate', async () => {
    expect((await ask('POST', '/clients', { name: 'web-1', address: 'a' })).status).toBe(201);
    expect((await ask('POST', '/results', { name: 'disk', output: 'o', source: 'web-1' })).status).toBe(202);
    await agent('web-1');
    expect(await storedRecords(CLIENT_BANS.prefix)).toEqual([]);
  });
});

test('a result that the backend itself produced before a client was deleted does not create the client again', async () => {
  const store = await openLevelStore(await tempDir());
  onTestFinished(() => store.close());
  const registry = new Registry(TABLES);
  const lease = await store.acquire('main', 1000);
  const batcher = new Batcher({ registry, store, lease, clock: rig.clock, log: new RecordedLog() }, { batchLimit: 1 });
  const entityLimit = new EntityLimit(registry, () => 'unlimited');
  const results = new Results({
    batcher,
    clock: rig.clock,
    definitions: new Definitions({ checks: new Map(), handlers: new Map() }),
    limits: { proxyClientQuota: 1000, entityLimit },
  });
  const clients = new Clients({ batcher, entityLimit, quarantineSeconds: 0 });
  await clients.put('default', { name: 'web-1', address: 'a' });
  const check = { name: 'keepalive', output: 'o', status: 0, executed: 1, issued: 1 };
  await Promise.all([
    clients.remove('default', 'web-1', { expireSeconds: undefined }),
    results.record('default', [{ client: 'web-1', reporter: 'web-1', check }]),
  ]);
  expect(registry.namespace('default').clients.size).toBe(0);
});
