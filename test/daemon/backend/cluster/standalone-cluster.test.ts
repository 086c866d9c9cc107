import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../../daemon/backend/ports.ts';
import { storeAccess } from '../../../../daemon/backend/store/open-store.ts';
import { MonError } from '../../../../shared/errors.ts';
import { clusterResponse, type ClusterView } from '../../../../shared/schemas/cluster.ts';
import { VERSION } from '../../../../shared/schemas/version.ts';
import { asking, type Ask } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const CLUSTER = '/api/mon/v1/cluster';

async function start(around?: (store: Store) => Store): Promise<{ backend: RunningBackend; ask: Ask }> {
  const backend = await startBackend(around === undefined ? {} : { around });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return { backend, ask: asking(backend.url) };
}

const viewOf = async (ask: Ask): Promise<ClusterView> => clusterResponse.parse((await ask('GET', CLUSTER)).body);

test('a backend with a LevelDB store is the only member of its cluster and the leader', async () => {
  const { backend, ask } = await start();
  await ask('POST', '/results', { source: 'web-1', name: 'disk', output: 'full', status: 2 });
  const view = await viewOf(ask);
  const { member_id: id, seq, leader } = view;
  expect(view.members).toEqual([
    {
      id,
      name: `${hostname()}:${new URL(backend.url).port}`,
      url: backend.url,
      version: VERSION,
      since: leader?.since,
      last_seen: expect.any(Number) as number,
      role: 'leader',
      state: 'ok',
      seq,
      lag: 0,
    },
  ]);
  expect(leader).toMatchObject({ id });
  expect(seq).toBeGreaterThan(0);
  expect(view.database).toMatchObject({ kind: 'leveldb', state: 'ok', problem: null });
  await ask('POST', '/results', { source: 'web-1', name: 'load', output: 'high', status: 1 });
  expect((await viewOf(ask)).seq).toBeGreaterThan(seq);
});

test('a handover is rejected with a remedy if there is no other member', async () => {
  const { ask } = await start();
  const { status, body } = await ask('POST', `${CLUSTER}/hand-over`, {});
  expect([status, body]).toEqual([
    400,
    {
      code: 'invalid',
      error:
        'there is no other member: this backend uses a LevelDB store; a cluster needs --store postgres://…, see docs/scale-out.md',
    },
  ]);
});

test('the cluster view shows why the store rejects writes', async () => {
  let store: FaultyStore | undefined;
  const { ask } = await start((real) => (store = new FaultyStore(real)));
  if (store !== undefined) store.closedFor = new MonError('unavailable', 'the disk does not answer');
  expect((await viewOf(ask)).database).toMatchObject({ state: 'unavailable', problem: 'the disk does not answer' });
  store?.mend();
  expect((await viewOf(ask)).database).toMatchObject({ state: 'ok', problem: null });
});

test('the cluster view shows the location of the store without its password', () => {
  const place = { 'state-dir': '/var/lib/mon' };
  expect(storeAccess(place).database).toEqual({ kind: 'leveldb', location: '/var/lib/mon' });
  expect(storeAccess({ ...place, store: 'postgres://mon:secret@db-1:5432,db-2/mon' }).database).toEqual({
    kind: 'postgres',
    location: 'postgres://db-1:5432,db-2/mon',
  });
});
