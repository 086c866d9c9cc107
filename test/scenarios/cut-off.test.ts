/** @module-tag slow */
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import { administratorOf } from '../support/administrator.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import type { RunningBackend } from '../support/running-backend.ts';
import { postgresOfFile, startSharing } from '../support/shared-database.ts';

/** Tests of a member that has lost the database while the other member still reaches it. */

const server = postgresOfFile();

interface Pair {
  readonly network: CuttingProxy;
  /** The member that reaches the database only through `network`, which the test cuts. */
  readonly cutOffMember: RunningBackend;
  readonly otherMember: RunningBackend;
}

const start = (database: string): Promise<RunningBackend> => startSharing(database, {}, { followerLagSeconds: 1 });

/**
 * Starts two members, one of which reaches the database through a network that the test can cut.
 *
 * @param isWriter true if the member behind that network is the leader
 */
async function pair(isWriter: boolean): Promise<Pair> {
  const direct = await server().database();
  const network = await CuttingProxy.open(direct.replace('postgres:', 'http:'));
  onTestFinished(() => network[Symbol.asyncDispose]());
  const behind = direct.replace(/@[^/]*/, `@${new URL(network.url).host}`);
  const first = await start(isWriter ? behind : direct);
  const second = await start(isWriter ? direct : behind);
  const [cutOffMember, otherMember] = isWriter ? [first, second] : [second, first];
  await expect.poll(async () => (await clusterAt(cutOffMember)).members).toHaveLength(2);
  await expect.poll(async () => (await clusterAt(otherMember)).members).toHaveLength(2);
  return { network, cutOffMember, otherMember };
}

const clusterAt = async ({ url }: RunningBackend): Promise<ClusterView> =>
  (await (await fetch(`${url}/api/mon/v1/cluster`)).json()) as ClusterView;

async function silence({ url }: RunningBackend, check: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...administratorOf(url) };
  return (await fetch(`${url}/silenced`, { method: 'POST', headers, body: JSON.stringify({ check }) })).status;
}

const silencedAt = async ({ url }: RunningBackend): Promise<readonly [status: number, again: string | null]> => {
  const { status, headers } = await fetch(`${url}/silenced`);
  return [status, headers.get('retry-after')];
};

test('a follower that loses its database connection serves reads for a while, is then unavailable, and recovers', async () => {
  const { network, cutOffMember, otherMember } = await pair(false);
  await silence(otherMember, 'before');
  await expect
    .poll(async () => (await (await fetch(`${cutOffMember.url}/silenced`)).json()) as unknown[])
    .toHaveLength(1);
  network.stall();
  await expect.poll(async () => (await clusterAt(cutOffMember)).database.state).toBe('unavailable');
  // The follower still serves reads, because nothing was written since it was cut off.
  expect(await silencedAt(cutOffMember)).toEqual([200, null]);
  expect(await silence(otherMember, 'meanwhile')).toBe(201);
  await expect.poll(() => silencedAt(cutOffMember)).toEqual([503, '1']);
  const { member_id: id, members } = await clusterAt(cutOffMember);
  expect(members.find((member) => member.id === id)).toMatchObject({ state: 'lagging' });
  expect((await fetch(`${cutOffMember.url}/health?deep=1`)).status).toBe(412);
  network.cut();
  network.flow();
  await expect.poll(() => silencedAt(cutOffMember)).toEqual([200, null]);
  expect(await (await fetch(`${cutOffMember.url}/silenced`)).json()).toHaveLength(2);
});

test('a leader that loses its database connection stops once another backend has taken its lease', async () => {
  const { network, cutOffMember, otherMember } = await pair(true);
  network.stall();
  await expect.poll(() => silence(otherMember, 'meanwhile')).toBe(201);
  await expect.poll(() => silencedAt(cutOffMember)).toEqual([503, '1']);
  network.cut();
  network.flow();
  expect((await cutOffMember.lost).message).toMatch(/was acquired by another backend/);
});
