/** @module-tag slow */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS, schemaAfterMigrations } from '../../daemon/backend/store/migrations/list.ts';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { upgradeThroughBackend } from '../../daemon/backend/store/upgrade/upgrade-through.ts';
import { backendAddress } from '../../shared/client/local-access.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import type { ScheduleDetail } from '../../shared/schemas/on-call.ts';
import { administratorOf } from '../support/administrator.ts';
import { commandRig, FLAGS } from '../support/command-rig.ts';
import { FeedPeer } from '../support/feed-peer.ts';
import type { RunningBackend } from '../support/running-backend.ts';
import { postgresOfFile, startSharing } from '../support/shared-database.ts';

/** Tests of several members in one process: what each of them shows, and which one is the leader. */

const server = postgresOfFile();

async function members(): Promise<readonly [url: string, writer: RunningBackend, other: RunningBackend]> {
  const url = await server().database();
  const writer = await startSharing(url);
  return [url, writer, await startSharing(url)];
}

async function getJson<T>(backend: RunningBackend, path: string): Promise<T> {
  return (await (await fetch(`${backend.url}${path}`)).json()) as T;
}

async function change(backend: RunningBackend, path: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json', ...administratorOf(backend.url) };
  return (await fetch(`${backend.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

interface Aggregate {
  readonly rules?: readonly { readonly status: number }[];
}

/** Returns the status of the rule for the aggregate `shop`; `undefined` if there is no rule. */
async function verdictAt(backend: RunningBackend): Promise<number | undefined> {
  const [rule] = (await getJson<Aggregate>(backend, '/api/mon/v1/aggregates/shop')).rules ?? [];
  return rule?.status;
}

const result = (name: string, status: number): unknown => ({ source: 'web', name, output: 'x', status });

async function checksAt(backend: RunningBackend): Promise<readonly string[]> {
  const events = await getJson<readonly { check: { name: string } }[]>(backend, '/events');
  return events.map(({ check }) => check.name).toSorted();
}

const cluster = (backend: RunningBackend): Promise<ClusterView> => getJson(backend, '/api/mon/v1/cluster');

async function nameOfWriter(backend: RunningBackend): Promise<string | undefined> {
  const { leader, members: all } = await cluster(backend);
  return all.find(({ id }) => id === leader?.id)?.name;
}

const nameOf = ({ url }: RunningBackend): RegExp => new RegExp(`:${new URL(url).port}$`);

test('a follower serves the state that the leader has stored and every later change', async () => {
  const [, writer, other] = await members();
  expect(await change(writer, '/results', result('disk', 2))).toBe(202);
  await expect.poll(() => checksAt(other)).toEqual(['disk']);
  expect(await change(writer, '/silenced', { check: 'disk', reason: 'later' })).toBe(201);
  await expect.poll(() => getJson(other, '/silenced')).toMatchObject([{ check: 'disk', reason: 'later' }]);
  await expect.poll(() => getJson(other, '/events')).toMatchObject([{ silenced: true }]);
  expect(await change(writer, '/results', result('disk', 0))).toBe(202);
  await expect.poll(() => checksAt(other)).toEqual([]);
});

test('a follower forwards overrides and swaps to the leader, and serves the schedule with them', async () => {
  const url = await server().database();
  const settings = {
    people: { ada: { notify: ['mail'] }, bob: { notify: ['mail'] } },
    schedules: { shop: { layers: [{ people: ['ada', 'bob'], every: '1 day' }] } },
  };
  const writer = await startSharing(url, settings);
  const other = await startSharing(url, settings);
  const schedule = '/api/mon/v1/schedules/shop';
  const overridesAt = async (backend: RunningBackend): Promise<readonly string[]> =>
    (await getJson<ScheduleDetail>(backend, schedule)).overrides.map(({ person, by }) => `${person} by ${by}`);
  const until = Math.floor(Date.now() / 1000) + 40 * 86_400;
  const override = { person: 'bob', from: until - 3600, until, by: 'eve' };
  expect(await change(other, `${schedule}/overrides`, override)).toBe(201);
  expect(await change(other, `${schedule}/swaps`, { person: 'ada', other: 'bob', by: 'eve' })).toBe(201);
  expect(await change(other, `${schedule}/overrides`, { ...override, person: 'dan' })).toBe(400);
  expect(await overridesAt(writer)).toHaveLength(3);
  await expect.poll(() => overridesAt(other)).toEqual(await overridesAt(writer));
  expect(await overridesAt(other)).toContain('bob by eve');
  const [first] = (await getJson<ScheduleDetail>(other, schedule)).overrides;
  const headers = administratorOf(other.url);
  const removed = await fetch(`${other.url}${schedule}/overrides/${first?.id ?? ''}`, { method: 'DELETE', headers });
  expect(removed.status).toBe(204);
  expect(await overridesAt(writer)).toHaveLength(2);
  await expect.poll(() => overridesAt(other)).toHaveLength(2);
  await writer[Symbol.asyncDispose]();
  await expect.poll(() => nameOfWriter(other)).toMatch(nameOf(other));
  expect(await change(other, `${schedule}/overrides`, override)).toBe(201);
  expect(await overridesAt(other)).toHaveLength(3);
});

test('a follower counts the results of the leader, but not the duration of its writes', async () => {
  const [, writer, other] = await members();
  const feed = await FeedPeer.subscribe(other.url);
  onTestFinished(() => feed.socket.terminate());
  await change(writer, '/results', result('disk', 0));
  const rates = (): readonly number[] =>
    feed.heard.flatMap((message) => (message.type === 'stats' ? message.stats.rate : []));
  await expect.poll(() => Math.max(0, ...rates())).toBeGreaterThan(0);
  const figures = await (await fetch(`${other.url}/metrics`)).text();
  expect(figures).toMatch(/^mon_store_write_duration_seconds_count 0$/m);
});

test('a member that starts later has the whole state', async () => {
  const [url, writer] = await members();
  await change(writer, '/results', result('disk', 1));
  expect(await checksAt(await startSharing(url))).toEqual(['disk']);
});

test('each member lists all members and the leader, and reports that no member lags', async () => {
  const [, writer, other] = await members();
  await expect.poll(async () => (await cluster(other)).members).toHaveLength(2);
  const view = await cluster(other);
  expect(view.database).toMatchObject({ kind: 'postgres', state: 'ok', problem: null });
  expect(view.database.location).not.toContain('mon:');
  expect(view.members.map(({ role, state, lag }) => ({ role, state, lag }))).toContainEqual({
    role: 'leader',
    state: 'ok',
    lag: 0,
  });
  expect(await nameOfWriter(other)).toMatch(nameOf(writer));
});

test('a leader that stops hands over at once, and the next leader accepts writes', async () => {
  const [, writer, other] = await members();
  await change(writer, '/results', result('before', 2));
  await expect.poll(async () => (await cluster(writer)).members).toHaveLength(2);
  await writer[Symbol.asyncDispose]();
  expect(writer.log.messages('info')).toContain('leadership handed over');
  await expect.poll(() => nameOfWriter(other)).toMatch(nameOf(other));
  expect(await change(other, '/results', result('after', 2))).toBe(202);
  expect(await checksAt(other)).toEqual(['after', 'before']);
});

/**
 * Sends requests on one persistent connection until the backend closes it.
 *
 * @returns the `Connection` header of the last response, and the error code of the request after it
 */
async function askUntilTheEnd(url: string): Promise<readonly [connection: string | undefined, ending: unknown]> {
  using closing = new DisposableStack();
  const agent = closing.adopt(new Agent({ keepAlive: true, maxSockets: 1 }), (one) => one.destroy());
  for (let last: string | undefined; ;) {
    try {
      const [answered] = (await once(get(`${url}/silenced`, { agent }), 'response')) as [IncomingMessage];
      expect(answered.statusCode).toBe(200);
      last = answered.headers.connection;
      await once(answered.resume(), 'end');
    } catch (error) {
      return [last, (error as NodeJS.ErrnoException).code];
    }
  }
}

test('a stopping backend asks busy clients to reconnect and then refuses connections', async () => {
  const [, , other] = await members();
  const asking = askUntilTheEnd(other.url);
  await other[Symbol.asyncDispose]();
  expect(await asking).toEqual(['close', 'ECONNREFUSED']);
});

test('an aggregate rule about stale results waits for the same grace period on every member after a start or failover', async () => {
  const url = await server().database();
  const settings = { 'aggregate-rules': { shop: { stale: { after: 8, critical: 1 } } } };
  const writer = await startSharing(url, settings);
  const other = await startSharing(url, settings);
  const executed = Math.floor(Date.now() / 1000) - 3600;
  const old = { source: 'web', name: 'http', output: 'x', status: 0, aggregate: 'shop', executed };
  expect(await change(writer, '/results', old)).toBe(202);
  await expect.poll(() => verdictAt(writer)).toBe(0);
  await expect.poll(() => verdictAt(other)).toBe(0);
  await expect.poll(() => verdictAt(writer), { timeout: 20_000 }).toBe(2);
  await expect.poll(() => verdictAt(other)).toBe(2);
  await writer[Symbol.asyncDispose]();
  const third = await startSharing(url, settings);
  await expect.poll(() => verdictAt(other)).toBe(0);
  expect(await verdictAt(third)).toBe(0);
});

test('a handover makes the named member leader, and the old leader becomes a follower', async () => {
  const [url, writer, other] = await members();
  await startSharing(url);
  await expect.poll(async () => (await cluster(writer)).members).toHaveLength(3);
  const { members: all } = await cluster(writer);
  const named = all.find(({ name }) => nameOf(other).test(name));
  expect(await change(writer, '/api/mon/v1/cluster/hand-over', { to: named?.name })).toBe(200);
  await expect.poll(() => nameOfWriter(other)).toBe(named?.name);
  await expect(writer.lost).resolves.toMatchObject({
    message: expect.stringContaining('handed over to') as string,
  });
  expect(await change(other, '/results', result('after', 2))).toBe(202);
});

test('a leader whose lease was taken stops writing and serving, and says why', async () => {
  const url = await server().database();
  const writer = await startSharing(url);
  await server().run(
    url,
    "update mon.lease set holder = 'another', epoch = epoch + 1, good_until = clock_timestamp() + interval '1 minute'",
  );
  await change(writer, '/results', result('disk', 2));
  expect((await writer.lost).message).toMatch(/was acquired by another backend/);
  // It also rejects reads, because its memory may contain the write that was not committed.
  expect((await fetch(`${writer.url}/events`)).status).toBe(503);
});

test('a handover without another member is rejected', async () => {
  const writer = await startSharing(await server().database());
  await expect.poll(async () => (await cluster(writer)).members).toHaveLength(1);
  expect(await change(writer, '/api/mon/v1/cluster/hand-over', {})).toBe(400);
});

test('members continue with the state of a database that lost acknowledged writes, and report it', async () => {
  const [url, writer, other] = await members();
  await change(writer, '/results', result('kept', 2));
  await expect.poll(() => checksAt(other)).toEqual(['kept']);
  const { seq } = await cluster(other);
  await change(writer, '/results', result('lost', 2));
  await expect.poll(() => checksAt(other)).toEqual(['kept', 'lost']);
  // Simulates the promotion of a standby that lagged behind: the last write is missing.
  await server().run(
    url,
    `delete from mon.entry where position('lost'::bytea in key) > 0; delete from mon.change where seq > ${String(seq)};
     update mon.lease set seq = ${String(seq)}, holder = 'another', epoch = epoch + 1, good_until = clock_timestamp() + interval '1 minute'`,
  );
  const message = 'the database lost acknowledged writes: continuing with the remaining data';
  await expect.poll(() => other.log.messages('error')).toContain(message);
  await expect.poll(() => countedAt(other)).toBe(1);
});

test('members detect a database that lost writes even if it has as many other writes', async () => {
  const [url, writer, other] = await members();
  await change(writer, '/results', result('kept', 2));
  await change(writer, '/results', result('lost', 2));
  await expect.poll(() => countedAt(other)).toBe(2);
  await server().run(
    url,
    `delete from mon.entry where position('lost'::bytea in key) > 0;
     update mon.change set batch = gen_random_uuid() where seq = (select max(seq) from mon.change)`,
  );
  const message = 'the database lost a commit that it had acknowledged and has a different one in its place';
  await expect.poll(() => other.log.messages('error')).toContain(message);
  await expect.poll(() => countedAt(other)).toBe(1);
});

test('a backend does not start beside a backend of another major version and says why', async () => {
  const [url] = await members();
  // The running members keep writing their own rows.
  await server().run(
    url,
    `insert into mon.member (id, name, url, version, seq)
     select 'next-major', 'next-major', url, '2.0.0', seq from mon.member limit 1`,
  );
  await expect(startSharing(url)).rejects.toThrow(
    /runs version 2\.0\.0 .* different major versions cannot share a store/,
  );
});

/** Returns the number of open events in memory. `GET /events` would read the events from the database. */
async function countedAt(backend: RunningBackend): Promise<number> {
  const figures = await (await fetch(`${backend.url}/metrics`)).text();
  return Number(/^mon_events\{severity="critical"\} (?<count>\d+)$/m.exec(figures)?.groups?.['count']);
}

/** Starts two backends on a database whose store has schema 3. */
async function membersOfEarlierStore(): Promise<readonly [url: string, writer: RunningBackend, other: RunningBackend]> {
  const url = await server().database();
  await (await openPostgresStore(url)).close();
  await server().run(url, 'update mon.store set schema = 3');
  return [url, await startSharing(url), await startSharing(url)];
}

const schemaAt = async (backend: RunningBackend): Promise<number> =>
  (await getJson<{ store: { schema: number } }>(backend, '/api/mon/v1/versions')).store.schema;

async function upgradeThroughMember(backend: RunningBackend): Promise<void> {
  const flags = { ...FLAGS, skipConfirm: true, backup: false as const };
  await upgradeThroughBackend(backendAddress(backend.url, { env: {} }), flags, commandRig());
}

test('an upgrade through a follower brings the store of all members to the newest schema', async () => {
  const [, writer, other] = await membersOfEarlierStore();
  expect([await schemaAt(writer), await schemaAt(other)]).toEqual([3, 3]);
  await upgradeThroughMember(other);
  const newest = schemaAfterMigrations(MIGRATIONS);
  await expect.poll(() => Promise.all([schemaAt(writer), schemaAt(other)])).toEqual([newest, newest]);
  expect(await change(other, '/results', result('disk', 1))).toBe(202);
});

test('an upgrade through a member is rejected while a backend of an earlier version is listed', async () => {
  const [url, writer] = await membersOfEarlierStore();
  await server().run(
    url,
    `insert into mon.member (id, name, url, version, seq) values ('x', 'mon-0', 'http://mon-0:4567', '1.0.0', 0)`,
  );
  await expect(upgradeThroughMember(writer)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('the backend mon-0 (http://mon-0:4567, version 1.0.0, seen'),
  });
  expect(await schemaAt(writer)).toBe(3);
});
