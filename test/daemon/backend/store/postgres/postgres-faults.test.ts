/** @module-tag slow */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Lease } from '../../../../../daemon/backend/ports.ts';
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import { parseDatabaseUrl } from '../../../../../daemon/backend/store/postgres/database-url.ts';
import { DatabaseServer } from '../../../../../daemon/backend/store/postgres/server.ts';
import { UnsettledWriteError } from '../../../../../daemon/backend/store/unsettled-write.ts';
import { SystemClock } from '../../../../../daemon/clock/system-clock.ts';
import { startCutProxy } from '../../../../support/cut-proxy.ts';
import { CuttingProxy } from '../../../../support/cutting-proxy.ts';
import { makeCertificate } from '../../../../support/make-certificate.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { startPostgres, type PostgresServer } from '../../../../../scripts/lib/postgres-server.ts';
import { entriesOf, put } from '../../../../support/store-contract.ts';
import { startTransactionPooler } from '../../../../support/transaction-pooler.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server[Symbol.asyncDispose]());

async function opened(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<{ store: PostgresStore; lease: Lease }> {
  const store = await openPostgresStore(url, options);
  onTestFinished(() => store.close());
  return { store, lease: await store.acquire('main', 30_000) };
}

/** Creates a database behind a proxy that the test can stall or cut, and returns the proxy and the URL. */
async function behindNetwork(): Promise<{ network: CuttingProxy; url: string }> {
  const direct = await server.database();
  const network = await CuttingProxy.open(direct.replace('postgres:', 'http:'));
  onTestFinished(() => network[Symbol.asyncDispose]());
  const { host } = new URL(network.url);
  return { network, url: direct.replace(/@[^/]*/, `@${host}`) };
}

/** Sends the messages of a statement as the library does, but without the last one, which ends the statement. */
function sayWithoutEnd(client: pg.Client, text: string): void {
  const { connection } = client as unknown as {
    connection: Record<'parse' | 'bind' | 'execute', (message: object) => void>;
  };
  connection.parse({ text });
  connection.bind({});
  connection.execute({});
}

const mended = (store: PostgresStore): Promise<void> => new Promise((resolve) => void store.onMended(resolve));

describe('faults of the network to PostgreSQL', () => {
  test('a database connection that is lost during its setup is neither returned nor reported as lost', async () => {
    const direct = await server.database();
    let bytes = 0;
    const network = await startCutProxy(direct.replace('postgres:', 'http:'), () => (bytes += 25));
    const url = direct.replace(/@[^/]*/, `@${new URL(network.url).host}`);
    await using database = new DatabaseServer(parseDatabaseUrl(url));
    const lost: unknown[] = [];
    const connects = (): Promise<boolean> =>
      database
        .connect((error) => lost.push(error))
        .then(
          (client) => client.end().then(() => true),
          () => false,
        );
    while (!(await connects())) expect(lost).toEqual([]);
    expect(network.cuts).toBeGreaterThan(20);
  });

  test('a write whose response is lost is stored once and acknowledged after the reconnect', async () => {
    const { network, url } = await behindNetwork();
    const { store, lease } = await opened(url);
    network.cutAfter(1);
    expect(await store.write(lease, [put(['a'], '1')], [['client', 'default', 'a']])).toBe(1);
    expect(network.cuts).toBeGreaterThan(0);
    expect(await store.write(lease, [put(['b'], '2')], [])).toBe(2);
    expect(await entriesOf(store.scan([]))).toEqual([
      [['a'], '1'],
      [['b'], '2'],
    ]);
  });

  test('a write that is lost on its way to the database is sent again', async () => {
    const { network, url } = await behindNetwork();
    const { store, lease } = await opened(url, { responseTimeoutMs: 200 });
    network.stall();
    const writing = store.write(lease, [put(['a'], '1')], []);
    // The network works again after the store has given up the first attempt.
    await expect.poll(() => store.refusal).toMatchObject({ code: 'unavailable' });
    network.flow();
    expect(await writing).toBe(1);
    expect(store.refusal).toBeUndefined();
    expect(await store.write(lease, [], [])).toBe(2);
  });

  test('a store closes when it finds that a write it reported as failed was stored', async () => {
    const { network, url } = await behindNetwork();
    const clock = new SystemClock();
    const hasty = {
      after: clock.after.bind(clock),
      every: clock.every.bind(clock),
      monotonic: () => 20 * clock.monotonic(),
    };
    const { store, lease } = await opened(url, { clock: hasty });
    const { target } = network;
    network.target = 'http://127.0.0.1:1';
    network.cutAfter(1);
    await expect(store.write(lease, [put(['a'], '1')], [])).rejects.toBeInstanceOf(UnsettledWriteError);
    network.target = target;
    expect(await lease.lost).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/that timed out/),
    });
    await expect(store.write(lease, [], [])).rejects.toMatchObject({ code: 'conflict' });
    const next = await openPostgresStore(url);
    onTestFinished(() => next.close());
    expect([next.lastSeq('main'), await next.getMany([['a']])]).toEqual([1, ['1']]);
  });

  test('a database connection that is lost between writes is replaced, and the lease continues', async () => {
    const { network, url } = await behindNetwork();
    const { store, lease } = await opened(url);
    const again = mended(store);
    network.cut();
    await again;
    expect(await store.write(lease, [put(['a'], '1')], [])).toBe(1);
    await lease.renew();
  });
});

// Starting a server takes a second of CPU, so these tests share it: each has its own database and leaves the server
// unchanged.
describe('outages of PostgreSQL', () => {
  test('writes are rejected while the database is unavailable, and no acknowledged write is lost', async () => {
    const { store, lease } = await opened(await server.database());
    expect(await store.write(lease, [put(['k', 0], 'v')], [])).toBe(1);
    for (const end of [() => server.stop(), () => server.kill()]) {
      const again = mended(store);
      await end();
      await expect.poll(() => store.refusal).toMatchObject({ code: 'unavailable' });
      await expect(store.write(lease, [put(['lost'], 'x')], [])).rejects.toMatchObject({ code: 'unavailable' });
      await expect(store.getMany([['k', 0]])).rejects.toMatchObject({ code: 'unavailable' });
      await server.start();
      await again;
      const seq = store.lastSeq('main');
      expect(await store.write(lease, [put(['k', seq], 'v')], [])).toBe(seq + 1);
    }
    expect((await entriesOf(store.scan([]))).map(([key]) => key)).toEqual([
      ['k', 0],
      ['k', 1],
      ['k', 2],
    ]);
  });

  test('acknowledged writes survive kills of the database under load, with consecutive sequence numbers', async () => {
    // The timeout is longer than any recovery of the database.
    const { store, lease } = await opened(await server.database(), { outcomeTimeoutMs: 120_000 });
    const acknowledged = new Set<number>();
    const over = new AbortController();
    const load = (async () => {
      for (let at = 0; !over.signal.aborted; at++) {
        try {
          await store.write(lease, [put(['k', at], 'v')], []);
          acknowledged.add(at);
        } catch {
          // The write failed while the database was down: the load continues with the next key.
          await setImmediate();
        }
      }
    })();
    for (let round = 0; round < 2; round++) {
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20);
      await server.kill();
      await server.start();
    }
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20);
    over.abort();
    await load;
    const stored = (await entriesOf(store.scan(['k']))).map(([[, at]]) => Number(at));
    expect(stored.filter((at) => !acknowledged.has(at))).toEqual([]);
    expect(stored).toHaveLength(acknowledged.size);
    expect(store.lastSeq('main')).toBe(acknowledged.size);
  });

  test('a store leaves no surplus connections after database outages, and none after it is closed', async () => {
    const url = await server.database();
    const first = await openPostgresStore(url);
    const lease = await first.acquire('main', 30_000);
    const second = await openPostgresStore(url);
    const asks = (): Promise<unknown> => second.acquire('main', 30_000).catch(() => undefined);
    await asks();
    for (let round = 0; round < 2; round++) {
      const again = Promise.all([mended(first), mended(second)]);
      await server.kill();
      await server.start();
      // The second store requests the lease repeatedly, like a follower.
      await Promise.all([again, asks(), asks(), asks()]);
      await expect(second.acquire('main', 30_000)).rejects.toMatchObject({ code: 'conflict' });
    }
    await lease.renew();
    expect(await server.connections(url)).toBe(2);
    await first.close();
    await second.close();
    await expect.poll(() => server.connections(url)).toBe(0);
  });

  test('a store stops writing to a database that lost acknowledged writes, and the error says so', async () => {
    const { network, url } = await behindNetwork();
    const { store, lease } = await opened(url);
    await store.write(lease, [put(['a'], '1')], []);
    await store.write(lease, [put(['a'], '2')], []);
    await server.run(url, 'update mon.lease set seq = 1; delete from mon.change where seq > 1');
    network.cut();
    await expect
      .poll(() => store.refusal?.message)
      .toMatch(/lost writes that were acknowledged: .* went back from sequence number 2 to 1/);
    await expect(store.write(lease, [], [])).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a store stops writing if the database holds another store after an outage, and the error has a remedy', async () => {
    const { network, url } = await behindNetwork();
    const { store } = await opened(url);
    await server.run(url, `update mon.store set id = 'another'`);
    network.cut();
    await expect.poll(() => store.refusal?.message).toMatch(/has been replaced; restart the backend$/);
  });
});

/** Takes a lock on a table that all other sessions wait for, until the returned function is called. */
async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return () => client.end();
}

const ANNOUNCEMENT = { name: 'a:1', url: 'http://a:1', fingerprint: undefined, proof: undefined, version: '1', seq: 0 };

describe('a database that hangs', () => {
  test('a member whose heartbeats wait for a locked table adds no connections, and continues after the lock', async () => {
    const url = await server.database();
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    await store.meet('main', ANNOUNCEMENT);
    const unlock = await lockTable(url, 'mon.member');
    const before = await server.connections(url);
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(store.meet('main', ANNOUNCEMENT)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await server.connections(url)).toBe(before);
    }
    await unlock();
    await expect.poll(() => store.meet('main', ANNOUNCEMENT)).toMatchObject({ members: [{ name: 'a:1' }] });
  });

  test('a member continues its heartbeats while commits wait for a standby that is gone', async () => {
    const url = await server.database();
    const { store, lease } = await opened(url, { responseTimeoutMs: 500, outcomeTimeoutMs: 500 });
    await store.meet('main', ANNOUNCEMENT);
    await server.run(url, `alter system set synchronous_standby_names = 'gone'`);
    await server.run(url, 'select pg_reload_conf()');
    const writing = store.write(lease, [put(['a'], '1')], []).catch(() => undefined);
    try {
      await expect.poll(() => store.refusal).toMatchObject({ code: 'unavailable' });
      for (let beat = 0; beat < 10; beat++) await store.meet('main', { ...ANNOUNCEMENT, seq: beat });
      expect(await server.connections(url)).toBeLessThanOrEqual(4);
    } finally {
      await server.run(url, 'alter system reset synchronous_standby_names');
      await server.run(url, 'select pg_reload_conf()');
      await writing;
    }
  });

  test('a member without responses waits on the connection that it has, and uses it again', async () => {
    const { network, url } = await behindNetwork();
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    await store.meet('main', ANNOUNCEMENT);
    const before = network.connections;
    network.stall();
    await expect(store.meet('main', ANNOUNCEMENT)).rejects.toThrow(/does not respond$/);
    // The next heartbeat fails at once, because the last one is still in progress.
    await expect(store.meet('main', ANNOUNCEMENT)).rejects.toThrow(/does not respond$/);
    expect(network.connections).toBe(before);
    network.flow();
    await expect.poll(() => store.meet('main', ANNOUNCEMENT).catch(() => undefined)).toBeDefined();
    expect(network.connections).toBe(before);
  });
});

describe('a database that cannot be used', () => {
  test('a store behind a pooler that shares sessions is refused with the setting to change', async () => {
    const url = await startTransactionPooler(await server.database());
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('set pool_mode = session for this database'),
    });
  });

  test.each([
    { name: 'a table', change: 'drop table mon.member', missing: 'mon.member' },
    { name: 'a column', change: 'alter table mon.change drop column keys', missing: 'mon.change.keys' },
  ])('a store without $name is refused, and the error names what is missing', async ({ change, missing }) => {
    const url = await server.database();
    await (await openPostgresStore(url)).close();
    await server.run(url, change);
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(`is damaged: ${missing} missing; restore a backup`),
    });
  });
});

/** The duration of a lease, which is renewed three times in it. Delays on a busy machine are shorter. */
const LEASE_MS = 1000;

/** Checks for two lease durations that the other store does not get the lease. */
async function expectRefused(url: string, other: PostgresStore): Promise<void> {
  for (let tenth = 0; tenth < 20; tenth++) {
    await expect(other.acquire('main', LEASE_MS)).rejects.toMatchObject({ code: 'conflict' });
    await server.run(url, `select pg_sleep(${String(LEASE_MS / 10_000)})`);
  }
}

describe('two backends on one database', () => {
  test('a second backend gets the error that another backend writes, and can write after the first has stopped', async () => {
    const url = await server.database();
    const first = await openPostgresStore(url);
    const lease = await first.acquire('main', 30_000);
    await first.write(lease, [put(['a'], '1')], [['client', 'default', 'a']]);
    const second = await openPostgresStore(url);
    onTestFinished(() => second.close());
    await expect(second.acquire('main', 30_000)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/another backend writes to postgres:.*30 s/),
    });
    await first.write(lease, [], [['client', 'default', 'b']]);
    await first.close();
    const next = await second.acquire('main', 30_000);
    expect(second.lastSeq('main')).toBe(2);
    expect(await second.write(next, [], [])).toBe(3);
  });

  test('a backend that was frozen for longer than its lease cannot write any more', async () => {
    const url = await server.database();
    // The clock of this store stands still, so it never renews its lease.
    const frozen = await openPostgresStore(url, { clock: new ManualClock() });
    onTestFinished(() => frozen.close());
    const old = await frozen.acquire('main', 200);
    expect(await frozen.write(old, [put(['a'], 'old')], [])).toBe(1);
    const second = await openPostgresStore(url);
    onTestFinished(() => second.close());
    let lease: Lease | undefined;
    await expect
      .poll(async () => {
        lease = await second.acquire('main', 30_000);
        return lease.epoch;
      })
      .toBeGreaterThan(old.epoch);
    await expect(frozen.write(old, [put(['a'], 'late')], [['client', 'default', 'a']])).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(frozen.refusal).toMatchObject({ code: 'conflict' });
    expect(await second.getMany([['a']])).toEqual(['old']);
    expect(lease === undefined ? 0 : await second.write(lease, [], [])).toBe(2);
  });

  test('a backend whose write takes longer than the lease keeps the lease', async () => {
    const url = await server.database();
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    const other = await openPostgresStore(url);
    onTestFinished(() => other.close());
    const lease = await store.acquire('main', LEASE_MS);
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    onTestFinished(() => slow.end());
    await store.write(lease, [put(['a'], '1')], []);
    await slow.query('begin; select from mon.entry for update');
    const writing = store.write(lease, [put(['a'], '2')], []);
    // The write has arrived, and waits for the lock of the slow transaction.
    await expect
      .poll(() => slow.query('select from pg_locks where not granted').then(({ rowCount }) => rowCount))
      .toBe(1);
    await expectRefused(url, other);
    await slow.query('commit');
    expect(await writing).toBe(2);
    expect(await store.write(lease, [put(['a'], '3')], [])).toBe(3);
  });

  test('a backend that freezes in the middle of a write does not block the lease forever', async () => {
    const url = await server.database();
    const { lease } = await opened(url);
    await using database = new DatabaseServer(parseDatabaseUrl(url), 200);
    const frozen = await database.connect(() => undefined);
    // The write lacks its last message: the row is changed and locked, but not committed.
    sayWithoutEnd(frozen, `update mon.lease set seq = seq where shard = 'main'`);
    const isLocked = async (): Promise<boolean> => {
      const client = await database.connect(() => undefined);
      const { rowCount } = await client.query('select from mon.lease for update skip locked');
      await client.end();
      return rowCount === 0;
    };
    await expect.poll(isLocked).toBe(true);
    await expect.poll(isLocked, { timeout: 5000 }).toBe(false);
    await lease.renew();
  });

  test('the database detects a dead connection of a backend within seconds', async () => {
    await using database = new DatabaseServer(parseDatabaseUrl(await server.database()));
    const client = await database.connect(() => undefined);
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name ~ '^tcp_keepalives' order by name`,
    );
    await client.end();
    const [count = 0, idle = 0, interval = 0] = rows.map(({ setting }) => Number(setting));
    expect(idle + count * interval).toBeLessThanOrEqual(20);
    expect(Math.min(count, idle, interval)).toBeGreaterThan(0);
  });

  test('a backend that was frozen continues to write if no other backend has acquired the lease', async () => {
    const url = await server.database();
    const { store, lease } = await opened(url);
    const runOut = (): Promise<void> => server.run(url, 'update mon.lease set good_until = clock_timestamp()');
    await runOut();
    expect(await store.write(lease, [put(['a'], '1')], [])).toBe(1);
    await runOut();
    await lease.renew();
    expect(await store.write(lease, [put(['a'], '2')], [])).toBe(2);
  });

  test('a backend that works keeps its lease while another backend tries to acquire it', async () => {
    const url = await server.database();
    const first = await openPostgresStore(url);
    onTestFinished(() => first.close());
    const lease = await first.acquire('main', LEASE_MS);
    const second = await openPostgresStore(url);
    onTestFinished(() => second.close());
    await expectRefused(url, second);
    expect(await first.write(lease, [], [])).toBe(1);
  });
});

describe('database errors that an operator has to fix', () => {
  const sql = {
    another: 'create schema mon; create table mon.orders (id int)',
    newer: 'update mon.store set schema = 99',
    copied: `update mon.store set copying = 'another store'`,
  };

  test.each<{ name: string; url: (url: string) => string; message: RegExp }>([
    {
      name: 'a wrong password',
      url: (url) => url.replace(/:[^:/]*@/, ':wrong@'),
      message: /the password in the setting store/,
    },
    {
      name: 'a missing database',
      url: (url) => `${url}_not`,
      message: /no such database; create it with createdb/,
    },
  ])('opening a store fails with a remedy because of $name', async ({ url, message }) => {
    const problem = { code: 'invalid', message: expect.stringMatching(message) };
    await expect(openPostgresStore(url(await server.database()))).rejects.toMatchObject(problem);
  });

  test('a database user without the needed rights is reported as an error', async () => {
    const url = await server.database();
    await server.run(url, `create role guest login password 'secret'`);
    await expect(openPostgresStore(url.replace(/mon:[^@]*@/, 'guest:secret@'))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/lacks rights.*GRANT CREATE ON DATABASE/),
    });
  });

  test('a database that another program uses is rejected', async () => {
    const url = await server.database();
    await server.run(url, sql.another);
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/a schema "mon" that was not created by mon/),
    });
  });

  test.each([
    {
      name: 'a store of a newer schema',
      statement: sql.newer,
      message: /has schema 99, but this version of mon supports at most/,
    },
    {
      name: 'a partially copied store',
      statement: sql.copied,
      message: /only partially copied: run mon-backend migrate-store/,
    },
  ])('a database that contains $name is rejected as a store', async ({ statement, message }) => {
    const url = await server.database();
    await (await openPostgresStore(url)).close();
    await server.run(url, statement);
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(message),
    });
  });

  test('a database whose certificate has an unknown authority is rejected', async () => {
    const { cert, key } = makeCertificate('localhost', { names: ['localhost'] });
    const speaksTls = createServer((socket) => {
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => socket.destroy());
      });
    });
    speaksTls.listen(0, '127.0.0.1');
    await once(speaksTls, 'listening');
    onTestFinished(() => void speaksTls.close());
    const { port } = speaksTls.address() as AddressInfo;
    await expect(
      openPostgresStore(`postgres://mon@127.0.0.1:${String(port)}/mon?sslmode=verify-full`),
    ).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /set sslrootcert in the setting store to the CA certificate.*: self-signed certificate/,
      ),
    });
  });

  test('an unreachable database is an error, and a reachable one of several hosts is used', async () => {
    const url = await server.database();
    const away = url.replace(/@[^/]*/, '@127.0.0.1:1');
    await expect(openPostgresStore(away)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/cannot connect: .*ECONNREFUSED/),
    });
    const { host } = new URL(url.replace('postgres:', 'http:'));
    const { store, lease } = await opened(url.replace(/@[^/]*/, `@127.0.0.1:1,${host}`));
    expect(await store.write(lease, [], [])).toBe(1);
  });
});
