import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MonError } from '../../../shared/errors.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import { aClusterView, aMember, SimulatedCluster } from '../../support/simulated-cluster.ts';

const TOLD = aClusterView({
  leader: { id: 'web1-id', since: NOW - 3600, epoch: 7 },
  members: [
    aMember('web1', { role: 'leader', since: NOW - 172_800, last_seen: NOW }),
    aMember('web2', { since: NOW - 7200, last_seen: NOW - 1, lag: 3, seq: 1197 }),
    aMember('web3', { since: NOW - 7200, last_seen: NOW - 300, state: 'lost', lag: 1200, seq: 0 }),
  ],
});

const cluster = new SimulatedCluster(TOLD);
let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend({ cluster });
});
afterAll(() => backend[Symbol.asyncDispose]());
beforeEach(() => {
  cluster.current = TOLD;
  cluster.handedTo.length = 0;
  cluster.removed.length = 0;
});

function monctl(line: string, options?: Parameters<typeof runMonctl>[2], url = backend.url): Promise<MonctlRun> {
  return runMonctl(line.split(' '), { MON_BACKEND: url }, options);
}

test('monctl cluster list shows the members', async () => {
  expect(await monctl('cluster list')).toEqual({
    code: 0,
    stdout: [
      'NAME       ROLE      STATE   LAG  SEEN  VERSION  UP',
      'web1:4567  leader    ok        0    0s  1.0.0    2d',
      'web2:4567  follower  ok        3    1s  1.0.0    2h',
      'web3:4567  follower  lost   1200    5m  1.0.0    2h',
      '',
    ].join('\n'),
    stderr: '',
  });
  expect(JSON.parse((await monctl('cluster list --output json')).stdout)).toEqual(TOLD.members);
});

describe('monctl cluster remove', () => {
  test('monctl cluster remove removes a lost member', async () => {
    expect(await monctl('cluster remove web3:4567 --skip-confirm')).toMatchObject({
      code: 0,
      stdout: 'removed web3:4567, 2 members left\n',
    });
    expect(cluster.removed).toEqual(['web3-id']);
  });

  test('monctl cluster remove --dry-run shows the member, and changes nothing', async () => {
    const { stdout } = await monctl('cluster remove web3:4567 --dry-run');
    expect(stdout).toContain('web3:4567 (https://web3.example.org:4567) would be removed from the list of members');
    expect(cluster.removed).toEqual([]);
  });

  test('monctl cluster remove rejects a running member', async () => {
    expect(await monctl('cluster remove web2:4567 --skip-confirm')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('web2:4567 is not lost: stop it, and it leaves the list by itself'),
    });
  });
});

describe('monctl cluster info', () => {
  test('monctl cluster info shows the leader and where the state is stored', async () => {
    expect((await monctl('cluster info')).stdout).toBe(
      [
        'member          web1:4567',
        'leader          web1:4567 since 2026-11-20 11:00:00Z (1h ago), epoch 7',
        'last write      1200',
        'database        postgres postgres://db-1:5432,db-2:5432/mon',
        'database state  ok',
        'members         3 members, 1 lost',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await monctl('cluster info --output json')).stdout)).toEqual(TOLD);
  });

  test('monctl cluster info shows an unavailable database, a missing leader and the troubles', async () => {
    const database = { ...TOLD.database, state: 'unavailable', problem: 'connection refused' } as const;
    cluster.current = { ...TOLD, database, leader: null };
    const { code, stdout } = await monctl('cluster info');
    expect(code).toBe(0);
    expect(stdout).toContain('leader          none\n');
    expect(stdout).toContain('database state  unavailable: connection refused\n');
    expect(stdout).toContain('trouble         database down: writes wait\ntrouble         no leader: writes wait\n');
  });
});

describe('monctl cluster hand-over', () => {
  test('monctl cluster hand-over makes the named member the leader and prints the duration', async () => {
    expect(await monctl('cluster hand-over web2:4567')).toEqual({
      code: 0,
      stdout: 'web2:4567 is the leader now, after 0.0s\n',
      stderr: '',
    });
    expect(cluster.handedTo).toEqual(['web2-id']);
    expect((await monctl('cluster hand-over web1:4567 --output json')).stdout).toContain('"seconds": 0');
  });

  test('monctl cluster hand-over prints control characters in the name of the new leader as text', async () => {
    const named = TOLD.members.map((member) =>
      member.id === 'web2-id' ? { ...member, name: 'web2\u001B[2J' } : member,
    );
    cluster.current = { ...TOLD, members: named };
    const { code, stdout } = await monctl('cluster hand-over web2-id');
    expect([code, stdout]).toEqual([0, 'web2\\x1b[2J is the leader now, after 0.0s\n']);
  });

  test('monctl cluster hand-over on a terminal asks for a confirmation and names the new leader', async () => {
    const question = 'web2:4567 would become the leader instead of web1:4567\nhand over? [y/N] ';
    expect(await monctl('cluster hand-over', { answer: 'n' })).toEqual({
      code: 7,
      stdout: '',
      stderr: `${question}monctl: nothing was done\n`,
    });
    expect(cluster.handedTo).toEqual([]);
    expect(await monctl('cluster hand-over', { answer: 'y' })).toMatchObject({ code: 0, stderr: question });
    expect(await monctl('cluster hand-over web1:4567 -y', { answer: 'n' })).toMatchObject({ code: 0, stderr: '' });
    expect(cluster.handedTo).toEqual(['web2-id', 'web1-id']);
  });

  test('monctl cluster hand-over --dry-run sends nothing', async () => {
    const { code, stdout } = await monctl('cluster hand-over web2:4567 --dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(`would send POST ${backend.url}/api/mon/v1/cluster/hand-over\n`);
    expect(stdout).toContain('web2:4567 would become the leader instead of web1:4567\nnothing was sent\n');
    expect(cluster.handedTo).toEqual([]);
  });

  test.each([
    { line: 'web9', code: 3, says: 'there is no member web9' },
    { line: 'web3:4567', code: 6, says: 'web3:4567 has sent no heartbeat for a while' },
    { line: 'web1:4567', code: 6, says: 'web1:4567 is the leader already' },
  ])(
    'monctl cluster hand-over $line is rejected with exit code $code before the question',
    async ({ line, code, says }) => {
      const refused = { code, stdout: '', stderr: `monctl: ${says}\n` };
      expect(await monctl(`cluster hand-over ${line}`)).toEqual(refused);
      expect(await monctl(`cluster hand-over ${line}`, { answer: 'y' })).toEqual(refused);
      expect(cluster.handedTo).toEqual([]);
    },
  );

  test('monctl cluster hand-over reports a handover that times out as unavailable', async () => {
    const slow = new SimulatedCluster(TOLD);
    slow.onHandOver = () => Promise.reject(new MonError('unavailable', 'web2:4567 has not begun to write'));
    await using own = await startBackend({ cluster: slow });
    expect(await monctl('cluster hand-over', {}, own.url)).toMatchObject({
      code: 5,
      stderr: 'monctl: web2:4567 has not begun to write\n',
    });
  });

  test('monctl cluster hand-over on a backend without a cluster says what a cluster requires', async () => {
    await using alone = await startBackend();
    const { code, stderr } = await monctl('cluster hand-over', {}, alone.url);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--store postgres://…')]);
  });
});

test('monctl shows no members of a backend of an earlier version', async () => {
  const old = await startScriptedServer(() => ({ status: 404, body: '{}' }));
  expect(await monctl('cluster list', {}, old.url)).toEqual({
    code: 3,
    stdout: '',
    stderr: 'monctl: this version of the backend does not support clusters\n',
  });
});

test('monctl completes the names of cluster members', async () => {
  expect((await monctl('__complete -- cluster hand-over w')).stdout).toBe('web1:4567\nweb2:4567\nweb3:4567\n');
});
