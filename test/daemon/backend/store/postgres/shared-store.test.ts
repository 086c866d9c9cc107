import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import type { MemberAnnouncement } from '../../../../../daemon/backend/store/shared-store.ts';
import { startPostgres, type PostgresServer } from '../../../../../scripts/lib/postgres-server.ts';
import { del, entriesOf, put } from '../../../../support/store-contract.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
});
afterAll(async () => server[Symbol.asyncDispose]());

async function opened(url: string): Promise<PostgresStore> {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

async function two(): Promise<{ url: string; writer: PostgresStore; member: PostgresStore }> {
  const url = await server.database();
  return { url, writer: await opened(url), member: await opened(url) };
}

const announcement = (name: string, seq = 0): MemberAnnouncement => ({
  name,
  url: `http://${name}`,
  fingerprint: undefined,
  proof: undefined,
  version: '1.0.0',
  seq,
});

test('a follower reads each write with the keys that the write put or deleted', async () => {
  const { writer, member } = await two();
  const lease = await writer.acquire('main', 30_000);
  await writer.write(lease, [put(['a', 1], '1'), put(['b'], '2')], [['client', 'default', 'a']]);
  await writer.write(lease, [del(['b'])], []);
  await writer.write(lease, [], []);
  const { after, records } = await member.writtenAfter('main', 0, 10);
  expect(after).toBeUndefined();
  expect(records).toMatchObject([
    { seq: 1, changes: [['client', 'default', 'a']], keys: [['a', 1], ['b']] },
    { seq: 2, changes: [], keys: [['b']] },
    { seq: 3, changes: [], keys: [] },
  ]);
  const ids = records.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(await member.writtenAfter('main', 1, 1)).toMatchObject({ after: ids[0], records: [{ seq: 2 }] });
  expect(await member.writtenAfter('main', 0, 1)).toMatchObject({ records: [{ seq: 1 }] });
  expect(await member.writtenAfter('main', 3, 10)).toEqual({ after: ids[2], records: [] });
});

test('a follower reads all keys of a large write', async () => {
  const { writer, member } = await two();
  const lease = await writer.acquire('main', 30_000);
  for (let seq = 1; seq <= 200; seq++) await writer.write(lease, [], []);
  const keys = Array.from({ length: 300 }, (_, at) => ['\u00e4\u0000\u{1f600}'.repeat(1 + (at % 70)), at] as const);
  await writer.write(
    lease,
    keys.map((key) => put(key, '1')),
    [],
  );
  expect((await member.writtenAfter('main', 200, 10)).records).toMatchObject([{ seq: 201, changes: [], keys }]);
});

test('a follower is notified of a write and of the release of the lease', async () => {
  const { writer, member } = await two();
  let written = 0;
  let released = 0;
  member.onWritten(() => written++);
  member.onReleased(() => released++);
  const lease = await writer.acquire('main', 30_000);
  await expect
    .poll(async () => {
      await writer.write(lease, [put(['a'], '1')], []);
      return written;
    })
    .toBeGreaterThan(0);
  expect(released).toBe(0);
  await lease.release();
  await expect.poll(() => released).toBe(1);
});

test('a snapshot of a shared store returns the state at one sequence number while writes continue', async () => {
  const { writer, member } = await two();
  const lease = await writer.acquire('main', 30_000);
  await writer.write(lease, [put(['a'], '1'), put(['b'], '1')], []);
  await using snapshot = await member.snapshot('main');
  await writer.write(lease, [put(['a'], '2'), del(['b']), put(['c'], '2')], []);
  expect(snapshot.seq).toBe(1);
  expect(await entriesOf(snapshot.scan([]))).toEqual([
    [['a'], '1'],
    [['b'], '1'],
  ]);
  expect(await snapshot.getMany([['c'], ['a']])).toEqual([undefined, '1']);
});

test('a snapshot that is read in several pages is complete', async () => {
  const { writer, member } = await two();
  const lease = await writer.acquire('main', 30_000);
  const keys = Array.from({ length: 2500 }, (_, at) => ['n', at] as const);
  await writer.write(
    lease,
    keys.map((key) => put(key, '1')),
    [],
  );
  await using snapshot = await member.snapshot('main');
  expect((await entriesOf(snapshot.scan(['n']))).map(([key]) => key)).toEqual(keys);
});

test('members of a shared store see each other and the holder of the lease', async () => {
  const { writer, member } = await two();
  expect(await writer.meet('main', announcement('a'))).toMatchObject({ lease: undefined, members: [{ name: 'a' }] });
  const { epoch } = await writer.acquire('main', 30_000);
  const standing = await member.meet('main', { ...announcement('b', 7), fingerprint: 'AB:CD' });
  expect(standing.members).toMatchObject([
    { id: writer.self, name: 'a', url: 'http://a', seq: 0, fingerprint: undefined },
    { id: member.self, name: 'b', seq: 7, fingerprint: 'AB:CD' },
  ]);
  expect(standing.lease).toMatchObject({ holder: writer.self, epoch, seq: 0, offeredTo: undefined });
  const { nowMs, lease } = standing;
  expect(Math.abs(nowMs - Date.now())).toBeLessThan(60_000);
  expect(lease?.goodUntilMs).toBeGreaterThan(nowMs);
  expect(lease?.sinceMs).toBeLessThanOrEqual(nowMs);
  await writer.leave();
  expect((await member.meet('main', announcement('b'))).members).toMatchObject([{ name: 'b' }]);
});

test('a member that was killed stays listed until it is removed or starts again', async () => {
  const { url, writer, member } = await two();
  await writer.meet('main', announcement('a'));
  await writer.acquire('main', 30_000);
  const names = async (): Promise<readonly string[]> =>
    (await member.meet('main', announcement('b'))).members.map(({ name }) => name);
  expect(await names()).toEqual(['a', 'b']);
  const killed = writer.self;
  await server.run(url, `update mon.member set last_seen = last_seen - interval '1 day' where id = '${killed}'`);
  expect(await names()).toEqual(['a', 'b']);
  const again = await opened(url);
  // The members need the address of the killed leader until its lease has expired.
  await again.meet('main', announcement('a'));
  expect(await names()).toEqual(['a', 'a', 'b']);
  await server.run(url, 'update mon.lease set good_until = clock_timestamp()');
  await again.meet('main', announcement('a'));
  expect(await names()).toEqual(['a', 'b']);
  await member.removeMember(again.self);
  expect(await names()).toEqual(['b']);
});

test('an offered lease names the member that it is offered to until a member acquires it', async () => {
  const { writer, member } = await two();
  const lease = await writer.acquire('main', 30_000);
  await writer.offer(lease, member.self);
  const offered = await member.meet('main', announcement('b'));
  expect(offered.lease).toMatchObject({ holder: undefined, offeredTo: member.self });
  expect(offered.lease?.goodUntilMs).toBeLessThanOrEqual(offered.nowMs);
  await member.acquire('main', 30_000);
  const taken = await member.meet('main', announcement('b'));
  expect(taken.lease).toMatchObject({ holder: member.self, offeredTo: undefined, epoch: 2 });
});

test('the secret of a store is the same for all members and different in another store', async () => {
  const { writer, member } = await two();
  const other = await opened(await server.database());
  expect(writer.secret).toMatch(/^[\w-]{43}$/);
  expect(member.secret).toBe(writer.secret);
  expect(other.secret).not.toBe(writer.secret);
});
