/** @module-tag slow */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { builtProgram, builtPrograms } from '../support/built-programs.ts';
import { startCutProxy } from '../support/cut-proxy.ts';
import { hoursFromNow, makeCertificate } from '../support/make-certificate.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { SkippingClock } from '../support/skipping-clock.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writePair } from '../support/tls-files.ts';

/** Tests of mistakes that an operator may make in a cluster, and of the resulting messages. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
});
afterAll(async () => server[Symbol.asyncDispose]());

type DaemonOptions = Omit<Parameters<typeof startDaemon>[0], 'stateDir'>;

async function daemon(store: string, options: DaemonOptions = {}): Promise<DaemonProcess> {
  const started = await startDaemon({ stateDir: await tempDir(), ...options, env: { MON_STORE: store } });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

async function backend(options: Parameters<typeof startBackend>[0]): Promise<RunningBackend> {
  const started = await startBackend(options);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** Creates a database with a user of its own, who has no other rights. */
async function ownDatabase(): Promise<{ readonly url: string; readonly role: string }> {
  const direct = await server.database();
  const role = `of_${new URL(direct).pathname.slice(1)}`;
  await server.run(
    direct,
    `create role ${role} login password 'first'; grant create on database ${role.slice(3)} to ${role}`,
  );
  return { url: direct.replace(/mon:[^@]*@/, `${role}:first@`), role };
}

interface Stored {
  readonly status: number;
  readonly error: string | undefined;
  readonly again: string | null;
}

async function post(url: string, name: string): Promise<Stored> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ source: 'web', name, output: 'x', status: 2 });
  const answer = await fetch(`${url}/results`, { method: 'POST', headers, body });
  const { error } = (await answer.json()) as { error?: string };
  return { status: answer.status, error, again: answer.headers.get('retry-after') };
}

/** Waits until a member stores a result. A member that has just lost its lease rejects results for a moment. */
async function stores(url: string, name: string): Promise<void> {
  await expect.poll(async () => (await post(url, name)).status).toBe(202);
}

async function checksAt(url: string): Promise<readonly string[]> {
  const events = (await (await fetch(`${url}/events`)).json()) as readonly { check: { name: string } }[];
  return events.map(({ check }) => check.name).toSorted();
}

const clusterAt = async (url: string): Promise<ClusterView> =>
  (await (await fetch(`${url}/api/mon/v1/cluster`)).json()) as ClusterView;

const writes = async (url: string): Promise<boolean> => {
  const { member_id: id, leader } = await clusterAt(url);
  return leader?.id === id;
};

describe('a backend that cannot start', () => {
  test.each<{ name: string; prepare?: string; url?: (url: string) => string; message: RegExp }>([
    { name: 'an invalid URL', url: () => 'postgres://db-1', message: /store: must be postgres:\/\/USER/ },
    {
      name: 'a wrong password',
      url: (url) => url.replace(/:[^:/]*@/, ':wrong@'),
      message: /the password in the setting store is wrong/,
    },
    {
      name: 'a database user without rights',
      prepare: `create role nobody_here login password 'first'`,
      url: (url) => url.replace(/mon:[^@]*@/, 'nobody_here:first@'),
      message: /the user in the setting store lacks rights/,
    },
    {
      name: 'a database of another program',
      prepare: 'create schema mon; create table mon.orders (id int)',
      message: /was not created by mon; use another database in the setting store/,
    },
  ])(
    'a backend does not start with $name in the setting store',
    async ({ prepare, url = (same: string) => same, message }) => {
      const database = await server.database();
      if (prepare !== undefined) await server.run(database, prepare);
      const starting = daemon(url(database));
      await expect(starting).rejects.toThrow(/ended with 2 before it served/);
      await expect(starting).rejects.toThrow(message);
    },
  );

  test('a backend does not start on a store that a newer version has written', async () => {
    const database = await server.database();
    await (await openPostgresStore(database)).close();
    await server.run(database, 'update mon.store set schema = 99');
    await expect(daemon(database)).rejects.toThrow(
      /ended with 2 .*has schema 99, but this version of mon supports at most.*setting store/s,
    );
  });
});

test('a backend waits for a database that does not respond yet, and logs once that it waits', async () => {
  const direct = await server.database();
  const network = await startCutProxy(direct.replace('postgres:', 'http:'), () => 1);
  const starting = daemon(direct.replace(/@[^/]*/, `@${new URL(network.url).host}`));
  await expect.poll(() => network.cuts).toBeGreaterThan(2);
  network.calm();
  const { url, records } = await starting;
  expect(records.filter(({ message }) => message === 'waiting for the database')).toHaveLength(1);
  await stores(url, 'disk');
});

test('a wrong database password makes reads and writes fail with 503 and the reason until the password is right again', async () => {
  const { url: database, role } = await ownDatabase();
  const { url } = await backend({ database });
  await stores(url, 'before');
  const setPassword = (password: string): Promise<void> =>
    server.run(server.url('postgres'), `alter role ${role} password '${password}'`);
  await setPassword('second');
  await server.run(
    server.url('postgres'),
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  );
  const reason = expect.stringContaining('the password in the setting store is wrong') as string;
  await expect
    .poll(async () => {
      const answer = await fetch(`${url}/events`);
      return { status: answer.status, ...((await answer.json()) as object) };
    })
    .toMatchObject({ status: 503, error: reason });
  expect(await post(url, 'meanwhile')).toMatchObject({ status: 503, again: '1' });
  await setPassword('first');
  await stores(url, 'after');
  expect(await checksAt(url)).toEqual(['after', 'before']);
});

test('a backend whose database disk is full rejects changes with 503 and serves reads until writes work again', async () => {
  const database = await server.database();
  const both = [await backend({ database }), await backend({ database })] as const;
  await stores(both[0].url, 'before');
  // The trigger raises the error that PostgreSQL reports when the disk is full and a table cannot grow.
  await server.run(
    database,
    `create function mon.grow() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
     create trigger full_disk before insert on mon.change for each statement execute function mon.grow()`,
  );
  for (const { url } of both) {
    expect(await post(url, 'meanwhile')).toMatchObject({ status: 503, again: '1' });
    await expect.poll(() => checksAt(url)).toEqual(['before']);
  }
  const record = both.flatMap(({ log }) => log.records).find(({ message }) => message === 'store write failed');
  expect(record?.fields).toMatchObject({
    error: expect.stringContaining('the disk of the database is full, free some space there') as string,
  });
  await server.run(database, 'drop trigger full_disk on mon.change');
  for (const { url } of both) await stores(url, 'after');
  for (const { url } of both) await expect.poll(() => checksAt(url)).toEqual(['after', 'before']);
});

test('a backend with an unreachable address is reported with the setting, and the next backend becomes leader', async () => {
  const database = await server.database();
  const lost = await backend({ database, settings: { 'peer-url': 'http://127.0.0.1:1' } });
  const other = await backend({ database });
  await expect.poll(async () => (await clusterAt(other.url)).members).toHaveLength(2);
  expect(await post(other.url, 'meanwhile')).toMatchObject({ status: 503, again: '1' });
  const record = other.log.records.find(({ message }) => message === 'the leader cannot be reached');
  expect(record?.fields).toMatchObject({ url: 'http://127.0.0.1:1', setting: 'peer-url' });
  // A result that is sent directly to the leader is stored, and all members see it, because they share the database.
  await stores(lost.url, 'straight');
  await expect.poll(() => checksAt(other.url)).toEqual(['straight']);
  await lost[Symbol.asyncDispose]();
  await stores(other.url, 'after');
});

test('members whose clocks differ by minutes are reported, and the next leader has the whole state', async () => {
  const database = await server.database();
  const clock = new SkippingClock();
  clock.skip(300_000);
  const ahead = await backend({ database, clock });
  const right = await backend({ database });
  const record = 'the clocks of this host and the database differ';
  await expect.poll(() => ahead.log.messages('warn').join()).toContain(record);
  await stores(ahead.url, 'before');
  await expect.poll(() => checksAt(right.url)).toEqual(['before']);
  await ahead[Symbol.asyncDispose]();
  await expect.poll(() => writes(right.url)).toBe(true);
  await stores(right.url, 'after');
  expect(await checksAt(right.url)).toEqual(['after', 'before']);
});

test('a member trusts exactly the certificate that the other member has announced, even an expired certificate', async () => {
  const database = await server.database();
  const own = makeCertificate('authority.example', { isAuthority: true });
  const expired = await writePair(
    await tempDir(),
    makeCertificate('writer.example', { issuer: own, from: hoursFromNow(-48), until: hoursFromNow(-24) }),
  );
  const writer = await daemon(database, {
    args: ['--cert-file', expired['cert-file'], '--key-file', expired['key-file']],
  });
  const other = await daemon(database);
  expect(writer.url).toMatch(/^https:/);
  await stores(other.url, 'disk');
  await server.run(database, `update mon.member set fingerprint = repeat('0', 64) where id <> ''`);
  // Each member writes its correct fingerprint again at its next contact with the database.
  await stores(other.url, 'cpu');
  expect(await checksAt(other.url)).toEqual(['cpu', 'disk']);
});

/** Creates a copy of the backend program that reports another version. */
async function programOf(version: string): Promise<string> {
  const text = await readFile(builtProgram('mon-backend'), 'utf8');
  const written = `VERSION = "${VERSION}"`;
  expect(text.split(written)).toHaveLength(2);
  const file = join(builtPrograms(), `mon-backend-${version}.js`);
  await writeFile(file, text.replace(written, `VERSION = "${version}"`));
  return file;
}

test('a leader that was paused for longer than its lease rejects requests until it knows its new role', async () => {
  const database = await server.database();
  const clock = new SkippingClock();
  const { url } = await backend({ database, clock });
  await stores(url, 'before');
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query('begin; lock table mon.member in access exclusive mode');
  clock.skip(10_000);
  const { status, headers } = await fetch(`${url}/events`);
  expect({ status, again: headers.get('retry-after') }).toEqual({ status: 503, again: '1' });
  await client.end();
  await expect.poll(async () => (await fetch(`${url}/events`)).status).toBe(200);
});

test('a backend of the next minor version joins and takes over; a backend of the next major version does not start', async () => {
  const database = await server.database();
  const [major, minor] = VERSION.split('.').map(Number);
  const later = `${String(major)}.${String(Number(minor) + 1)}.0`;
  const program = await programOf(later);
  const first = await daemon(database);
  const next = await daemon(database, { program });
  await stores(next.url, 'before');
  const versions = async (): Promise<readonly string[]> =>
    (await clusterAt(next.url)).members.map(({ version }) => version).toSorted();
  await expect.poll(versions).toEqual([VERSION, later].toSorted());
  await first.end('SIGTERM');
  await expect.poll(() => writes(next.url)).toBe(true);
  const again = await daemon(database);
  await stores(again.url, 'after');
  for (const { url } of [next, again]) await expect.poll(() => checksAt(url)).toEqual(['after', 'before']);
  const foreign = `${String(Number(major) + 1)}.0.0`;
  await expect(daemon(database, { program: await programOf(foreign) })).rejects.toThrow(
    /ended with 2 .*different major versions cannot share a store/s,
  );
});
