import { describe, expect, onTestFinished, test } from 'vitest';
import { MonError } from '../../../../shared/errors.ts';
import type { ClusterView } from '../../../../shared/schemas/cluster.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { aClusterView, aMember, SimulatedCluster } from '../../../support/simulated-cluster.ts';

const CLUSTER = '/api/mon/v1/cluster';
const HAND_OVER = `${CLUSTER}/hand-over`;

async function start(
  overrides?: Partial<ClusterView>,
): Promise<{ readonly ask: Ask; readonly url: string; readonly v2Url: string; readonly cluster: SimulatedCluster }> {
  const cluster = new SimulatedCluster(aClusterView(overrides));
  const backend = await startBackend({ cluster, settings: { 'v2-listener': { port: 0 } } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return { ask: asking(backend.url), url: backend.url, v2Url: backend.v2Url, cluster };
}

const writer = aMember('web1', { role: 'leader' });
const away = {
  kind: 'postgres',
  location: 'postgres://db/mon',
  state: 'unavailable',
  problem: 'connection refused',
} as const;
const behind: Partial<ClusterView> = {
  member_id: 'web2-id',
  members: [writer, aMember('web2', { state: 'lagging', lag: 1204, seq: 0 }), aMember('web3', { state: 'lost' })],
};

describe('a handover', () => {
  test('a handover returns the new leader once it leads, and is recorded in the audit trail', async () => {
    const { ask, cluster } = await start();
    expect(await ask('POST', HAND_OVER, { to: 'web3:4567' })).toMatchObject({
      status: 200,
      body: { leader: { id: 'web3-id', epoch: 8 } },
    });
    expect(cluster.handedTo).toEqual(['web3-id']);
    expect((await ask('GET', CLUSTER)).body).toEqual(cluster.current);
    expect((await ask('GET', '/api/mon/v1/audit?filter.action=cluster.hand-over')).body).toMatchObject([
      {
        who: 'local administrator',
        how: `POST ${HAND_OVER}`,
        target: 'web3:4567',
        before: { leader: 'web1:4567' },
        after: { leader: 'web3:4567' },
      },
    ]);
  });

  test('a handover without a member name goes to the member with the smallest lag', async () => {
    const { ask, cluster } = await start({ members: [writer, aMember('web2', { lag: 5 }), aMember('web3')] });
    expect((await ask('POST', HAND_OVER, {})).status).toBe(200);
    expect(cluster.handedTo).toEqual(['web3-id']);
  });

  test.each<{ name: string; body: unknown; status: number; code: string }>([
    { name: 'to an unknown member', body: { to: 'web9' }, status: 404, code: 'not_found' },
    { name: 'to the leader', body: { to: 'web1:4567' }, status: 409, code: 'conflict' },
    { name: 'to a member that has left', body: { to: 'web3:4567' }, status: 409, code: 'conflict' },
    { name: 'with a misspelled attribute', body: { ot: 'web2:4567' }, status: 400, code: 'invalid' },
    { name: 'to an empty name', body: { to: '' }, status: 400, code: 'invalid' },
    { name: 'to a name that is too long', body: { to: 'w'.repeat(301) }, status: 400, code: 'invalid' },
  ])('a handover $name is rejected and not recorded in the audit trail', async ({ body, status, code }) => {
    const { ask, cluster } = await start({ members: [writer, aMember('web2'), aMember('web3', { state: 'lost' })] });
    expect(await ask('POST', HAND_OVER, body)).toMatchObject({ status, body: { code } });
    expect(cluster.handedTo).toEqual([]);
    expect((await ask('GET', '/api/mon/v1/audit')).body).toEqual([]);
  });

  test('a handover that does not complete in time returns 503', async () => {
    const { ask, cluster } = await start();
    cluster.onHandOver = () => Promise.reject(new MonError('unavailable', 'web2:4567 has not begun to write'));
    expect(await ask('POST', HAND_OVER, { to: 'web2:4567' })).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: 'web2:4567 has not begun to write' },
    });
  });

  test('a handover requires an administrator, but every reader may see the cluster', async () => {
    const cluster = new SimulatedCluster(aClusterView());
    await using backend = await startBackend({ cluster, settings: { api: { user: 'root', password: 'long enough' } } });
    const root = asking(backend.url, basic('root', 'long enough'));
    const key = async (scopes: readonly string[]): Promise<Ask> => {
      const { body } = await root('POST', '/api/core/v2/apikeys', { username: 'root', scopes });
      return asking(backend.url, `Key ${(body as { key: string }).key}`);
    };
    const reader = await key(['read']);
    expect((await reader('GET', CLUSTER)).status).toBe(200);
    expect((await reader('POST', HAND_OVER, {})).status).toBe(403);
    expect((await root('POST', HAND_OVER, {})).status).toBe(200);
  });
});

describe('the removal of a member', () => {
  test('a lost member that is removed is no longer listed, and the removal is in the audit trail', async () => {
    const { ask, cluster } = await start({ members: [writer, aMember('web3', { state: 'lost' })] });
    expect(await ask('DELETE', `${CLUSTER}/members/web3:4567`)).toMatchObject({
      status: 200,
      body: { members: [{ id: 'web1-id' }] },
    });
    expect(cluster.removed).toEqual(['web3-id']);
    expect((await ask('GET', '/api/mon/v1/audit?filter.action=cluster.remove')).body).toMatchObject([
      { target: 'web3:4567', before: { id: 'web3-id' } },
    ]);
  });

  test.each<{ name: string; member: string; status: number; code: string }>([
    { name: 'an unknown member', member: 'web9', status: 404, code: 'not_found' },
    { name: 'a running member', member: 'web2:4567', status: 409, code: 'conflict' },
    { name: 'the leader', member: 'web1-id', status: 409, code: 'conflict' },
  ])('the removal of $name is rejected', async ({ member, status, code }) => {
    const { ask, cluster } = await start();
    expect(await ask('DELETE', `${CLUSTER}/members/${member}`)).toMatchObject({ status, body: { code } });
    expect(cluster.removed).toEqual([]);
  });
});

describe('cluster metrics', () => {
  test('the metrics of a leader contain the states of its members and its sequence number', async () => {
    const { ask } = await start();
    expect(await figures(ask)).toEqual({
      'mon_cluster_members{state="ok"}': 3,
      'mon_cluster_members{state="lagging"}': 0,
      'mon_cluster_members{state="lost"}': 0,
      mon_cluster_is_leader: 1,
      mon_cluster_seq: 1200,
      mon_cluster_lag_commits: 0,
      mon_cluster_database_up: 1,
    });
  });

  test('the metrics of a follower contain its lag and the lost database connection', async () => {
    const { ask } = await start({ ...behind, database: away });
    expect(await figures(ask)).toEqual({
      'mon_cluster_members{state="ok"}': 1,
      'mon_cluster_members{state="lagging"}': 1,
      'mon_cluster_members{state="lost"}': 1,
      mon_cluster_is_leader: 0,
      mon_cluster_seq: 1200,
      mon_cluster_lag_commits: 1204,
      mon_cluster_database_up: 0,
    });
  });
});

describe('deep health', () => {
  test('deep health shows the cluster and reports no problem while the cluster is healthy', async () => {
    const { ask } = await start();
    expect(await ask('GET', '/health?deep=1')).toMatchObject({
      status: 200,
      body: {
        problems: [],
        cluster: { members: 3, leader: 'web1:4567', role: 'leader', state: 'ok', lag: 0, database: 'ok' },
      },
    });
  });

  test.each<{ name: string; overrides: Partial<ClusterView>; problem: string }>([
    { name: 'lags behind', overrides: behind, problem: 'member web2:4567 is 1204 writes behind' },
    {
      name: 'has lost the database',
      overrides: { database: away },
      problem: 'database down: writes wait: connection refused',
    },
    { name: 'knows no leader', overrides: { leader: null }, problem: 'no leader: writes wait' },
  ])('deep health returns 412 when the backend $name', async ({ overrides, problem }) => {
    const { ask } = await start(overrides);
    expect(await ask('GET', '/health?deep=1')).toMatchObject({ status: 412, body: { problems: [problem] } });
  });
});

describe('the cluster in the v1 and v2 APIs', () => {
  test('GET /info lists each member as a server, and the leader as the server with the tasks', async () => {
    const { ask } = await start(behind);
    const { servers } = (await ask('GET', '/info')).body as { servers: readonly Record<string, unknown>[] };
    expect(servers.map(({ hostname, tasks }) => [hostname, tasks]).slice(1)).toEqual([
      ['web1:4567', ['check_request_publisher', 'client_monitor', 'check_result_monitor']],
      ['web3:4567', []],
    ]);
    expect(servers[0]).toMatchObject({ tasks: [], metrics: { cpu: {} } });
    expect(servers[1]).toMatchObject({ id: 'web1-id', address: 'web1.example.org' });
  });

  test('the member list of the v2 API contains the responding member and gives each member its own id', async () => {
    const { ask } = await start(behind);
    const { header, members } = JSON.parse((await ask('GET', '/api/core/v2/cluster/members')).text) as {
      header: { cluster_id: number; member_id: number };
      members: readonly { ID: number; name: string; peerURLs: unknown; clientURLs: unknown }[];
    };
    expect(members.map(({ name, peerURLs, clientURLs }) => [name, peerURLs, clientURLs])).toEqual(
      ['web1', 'web2', 'web3'].map((host) => {
        const urls = [`https://${host}.example.org:4567`];
        return [`${host}:4567`, urls, urls];
      }),
    );
    expect(header.member_id).toBe(members[1]?.ID);
    expect(new Set([header.cluster_id, ...members.map(({ ID }) => ID)]).size).toBe(4);
  });

  test('the health of the v2 API reports the problem of each member', async () => {
    const { v2Url } = await start(behind);
    const { ClusterHealth } = (await (await fetch(`${v2Url}/health`)).json()) as {
      ClusterHealth: readonly { Name: string; Err: string; Healthy: boolean }[];
    };
    expect(ClusterHealth.map(({ Name, Err, Healthy }) => [Name, Err, Healthy])).toEqual([
      ['web1:4567', '', true],
      ['web2:4567', 'it is too far behind', false],
      ['web3:4567', 'it has sent no heartbeat for a while', false],
    ]);
  });
});

test('the hello of the feed says whether several backends share the store', async () => {
  const { url } = await start();
  expect(await helloOf(url)).toMatchObject({ shared: true });
  await using alone = await startBackend();
  expect(await helloOf(alone.url)).not.toHaveProperty('shared');
});

/** Returns the metrics of the cluster, by name with labels. */
async function figures(ask: Ask): Promise<Record<string, number>> {
  const { text } = await ask('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('mon_cluster_'));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

/** Returns the hello message of a backend's feed. */
async function helloOf(url: string): Promise<unknown> {
  return (await FeedPeer.subscribe(url, { topics: ['events'] })).hears('hello');
}
