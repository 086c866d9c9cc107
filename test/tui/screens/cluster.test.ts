import { describe, expect, test } from 'vitest';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import { ClusterScene, SCENE_CLUSTER } from '../../support/cluster-scene.ts';
import { openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { sizesOf } from '../../support/golden-looks.ts';
import { expectGolden } from '../../support/screen.ts';

const AWAY: ClusterView = {
  ...SCENE_CLUSTER,
  database: { ...SCENE_CLUSTER.database, state: 'unavailable', problem: 'connect ECONNREFUSED 10.0.0.9:5432' },
};
const NO_LEADER: ClusterView = {
  ...SCENE_CLUSTER,
  leader: null,
  members: SCENE_CLUSTER.members.map((member) => Object.assign({}, member, { role: 'follower' } as const)),
};
const BEHIND: ClusterView = {
  ...SCENE_CLUSTER,
  member_id: 'web2-id',
  members: SCENE_CLUSTER.members.map((member) =>
    member.id === 'web2-id' ? Object.assign({}, member, { state: 'lagging', lag: 1204 } as const) : member,
  ),
};

async function openCluster(rig: ConsoleRig): Promise<void> {
  rig.type(':cluster\r');
  await rig.shows('NAME', 'web3:4567');
}

/** Cases that test only the header, above the list of events. */
const HEADERS = [
  { view: 'cluster-header-away', told: AWAY, shows: 'database down: writes wait' },
  { view: 'cluster-header-no-leader', told: NO_LEADER, shows: 'no leader: writes wait' },
  { view: 'cluster-header-behind', told: BEHIND, shows: 'member web2:4567 is 1204 writes behind' },
] as const;

describe.each(sizesOf([{ view: 'cluster' }]))('at $columns x $rows', ({ columns, rows }) => {
  const size = `${String(columns)}x${String(rows)}`;

  test('the cluster page, one member and the handover dialog match their pictures', async () => {
    const rig = await new ClusterScene().open({ columns, rows });
    await openCluster(rig);
    await expectGolden(rig.screen, `cluster-${size}`);
    rig.type('jH');
    await rig.shows('Hand over leadership to web2:4567');
    await expectGolden(rig.screen, `cluster-hand-over-${size}`);
    rig.escape();
    rig.type('\r');
    await rig.shows('cluster › web2:4567', 'https://web2.example.org:4567');
    await expectGolden(rig.screen, `cluster-member-${size}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
  });

  test.each(HEADERS)('the header of $view matches its picture', async ({ view, told, shows }) => {
    const rig = await new ClusterScene({ told }).open({ columns, rows });
    await rig.shows(shows);
    await expectGolden(rig.screen, `${view}-${size}`);
    expect(rig.screen.lines[0]?.length).toBeLessThanOrEqual(columns);
  });

  test('the cluster page matches its picture while the database is unavailable', async () => {
    const rig = await new ClusterScene({ told: AWAY }).open({ columns, rows });
    await openCluster(rig);
    await expectGolden(rig.screen, `cluster-away-${size}`);
    expect(rig.row('database  unavailable')).toContain('ECONNREFUSED');
  });
});

describe('the cluster page', () => {
  test('the cluster page is requested every two seconds while it is open', async () => {
    const scene = new ClusterScene();
    const rig = await scene.open();
    await openCluster(rig);
    scene.view = BEHIND;
    await rig.pass(1999);
    expect(rig.row('web2:4567')).toMatch(/ok +3 /);
    await rig.pass(1);
    await rig.shows(/web2:4567 .* lagging +1204 /);
  });

  test('the cluster page is read, filtered, sorted and clicked like any list', async () => {
    const rig = await new ClusterScene().open();
    await openCluster(rig);
    rig.type('/state!=lost\r');
    await rig.shows('2 of 3 members shown');
    rig.escape();
    await rig.shows('3 of 3 members shown');
    rig.type(':set mouse on\r');
    const row = rig.screen.lines.findIndex((line) => line.includes('web3:4567'));
    rig.type(`\u001B[<0;10;${String(row + 1)}M`);
    await rig.shows(/> +web3:4567/);
    expect(rig.row('web1:4567  ')).not.toContain('>');
    rig.type(':sort lag\r');
    await rig.pass(500);
    await rig.shows(/sort: lag/, /web3:4567[^]*web2:4567[^]*web1:4567/);
  });

  test('the cluster page of an older backend says that there is no cluster', async () => {
    const rig = await openRig({ snapshot: SCENE });
    rig.type(':cluster\r');
    await rig.shows('not loaded: this version of the backend does not support clusters');
    expect(rig.screen.text).not.toContain('loading');
  });
});

describe('a handover in the console', () => {
  test('a handover in the console is confirmed and sent, and the page shows its duration and the new leader', async () => {
    const rig = await new ClusterScene().open();
    await openCluster(rig);
    rig.type('jH');
    await rig.shows('Hand over leadership to web2:4567', 'web1:4567 has been the leader for 2h10m.');
    rig.type('y');
    await rig.shows('web2:4567 became the leader after 0.0s', /web2:4567 +leader/);
    expect(rig.asked.filter((one) => one.startsWith('POST'))).toEqual(['POST /api/mon/v1/cluster/hand-over']);
  });

  test('a handover in the console is not sent if the confirmation is declined', async () => {
    const rig = await new ClusterScene().open();
    await openCluster(rig);
    rig.type('jHn');
    await rig.showsNo('Hand over leadership to');
    expect(rig.asked.filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test.each([
    { to: 'the leader', keys: 'H', says: 'web1:4567 is the leader already' },
    { to: 'a lost member', keys: 'jjH', says: 'web3:4567 has sent no heartbeat for a while' },
    { to: 'two members', keys: ' j H', says: 'select a single member' },
  ])('a handover in the console to $to is rejected at once', async ({ keys, says }) => {
    const rig = await new ClusterScene().open();
    await openCluster(rig);
    rig.type(keys);
    await rig.shows(says);
    expect(rig.screen.text).not.toContain('Hand over leadership to');
  });

  test('a handover in the console requires the scope admin', async () => {
    const scene = new ClusterScene();
    scene.scopes = ['read', 'silence', 'resolve'];
    const rig = await scene.open();
    await openCluster(rig);
    rig.type('jH');
    await rig.shows('only an administrator of all namespaces can change the leader');
    expect(rig.screen.text).not.toContain('Hand over leadership to');
  });

  test('a handover is disabled in a read-only console', async () => {
    const rig = await new ClusterScene().open({ readOnly: true });
    await openCluster(rig);
    rig.type('jH');
    await rig.shows('H is disabled: this console was started with --read-only');
    expect(rig.asked.filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('a failed handover in the console shows the reason, and the page still shows the leader', async () => {
    const scene = new ClusterScene();
    scene.refusal = { status: 503, error: 'web2:4567 has not begun to write' };
    const rig = await scene.open();
    await openCluster(rig);
    rig.type('jHy');
    await rig.shows('handover failed: web2:4567 has not begun to write');
    expect(rig.row('web1:4567 ')).toContain('leader');
  });

  test('a handover in the console can be started from the page of one member', async () => {
    const rig = await new ClusterScene().open();
    await openCluster(rig);
    rig.type('j\r');
    await rig.shows('cluster › web2:4567');
    rig.type('Hy');
    await rig.shows('web2:4567 became the leader');
    await rig.pass(2000);
    await rig.shows('leader: all writes go through this member');
    expect(rig.row('role')).toContain('leader');
  });
});

describe('the cluster state in the header', () => {
  test('the header of the console shows a cluster problem, and its end, within five seconds', async () => {
    const scene = new ClusterScene();
    const rig = await scene.open();
    await rig.pass(5000);
    scene.view = AWAY;
    await rig.pass(5000);
    await rig.shows('database down: writes wait');
    scene.view = SCENE_CLUSTER;
    await rig.pass(5000);
    await rig.showsNo('database down');
    expect(rig.screen.lines[0]).not.toContain('writes wait');
  });

  test('the header of the console shortens a cluster problem on a narrow screen', async () => {
    const rig = await new ClusterScene({ told: BEHIND }).open({ columns: 70, rows: 20 });
    await rig.shows(/LIVE {2}lagging/);
    expect(rig.screen.lines[0]).toContain('12:00Z');
  });

  test('the console requests the cluster state every five seconds if the store is shared', async () => {
    const rig = await new ClusterScene().open();
    for (let second = 0; second < 20; second += 1) await rig.pass(1000);
    const asked = rig.asked.filter((one) => one === 'GET /api/mon/v1/cluster');
    expect(asked.length).toBeGreaterThanOrEqual(4);
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(rig.asked.filter((one) => one === 'GET /api/mon/v1/access')).toHaveLength(1);
  });

  test('the console never requests the cluster state for its header if the store is not shared', async () => {
    const rig = await new ClusterScene({ isShared: false }).open();
    for (let second = 0; second < 20; second += 1) await rig.pass(1000);
    expect(rig.asked.filter((one) => one.includes('cluster'))).toEqual([]);
  });
});
