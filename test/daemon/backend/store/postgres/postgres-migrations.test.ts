import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Key, UpgradeOptions } from '../../../../../daemon/backend/ports.ts';
import { MIGRATIONS } from '../../../../../daemon/backend/store/migrations/list.ts';
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import { decodeTuple, encodeTuple } from '../../../../../daemon/backend/store/tuple.ts';
import { upgradeOffline } from '../../../../../daemon/backend/store/upgrade/upgrade-command.ts';
import { commandRig, FLAGS, loggedRecords } from '../../../../support/command-rig.ts';
import {
  AFTER,
  asStored,
  BEFORE,
  checks,
  inNewForm,
  migrationContract,
  MIXED,
  unattended,
  withNext,
  writeEarlier,
  type StoreKind,
} from '../../../../support/migration-contract.ts';
import { postgresOfFile } from '../../../../support/shared-database.ts';
import { entriesOf, put } from '../../../../support/store-contract.ts';

const server = postgresOfFile();

const postgres: StoreKind = {
  create: () => server().database(),
  open: (url, migrations) => openPostgresStore(url, { migrations }),
  content: async (url) => {
    const { rows } = await sql<{ key: Buffer; value: Buffer }>(url, 'select key, value from mon.entry order by key');
    return rows.map(({ key, value }) => [decodeTuple(key.toString()), value.toString()]);
  },
};

migrationContract('PostgreSQL', postgres);

/** Runs a statement over a separate connection, not through the store. */
async function sql<T extends pg.QueryResultRow>(url: string, statement: string): Promise<pg.QueryResult<T>> {
  const client = await connected(url);
  return await client.query<T>(statement);
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function opened(url: string, options: PostgresStoreOptions = { migrations: withNext() }): Promise<PostgresStore> {
  const store = await openPostgresStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

const bytesOf = (key: Key): Buffer => Buffer.from(encodeTuple(key));

/** Returns a progress callback that calls `action` 300 ms after the upgrade has begun. */
function soonAfterStart(action: () => unknown): UpgradeOptions['onProgress'] {
  return ({ done }) => {
    if (done === 0) setTimeout(() => void action(), 300);
  };
}

const aboutMember = (name: string) => ({
  name,
  url: `http://${name}`,
  fingerprint: undefined,
  proof: undefined,
  version: '1.0.0',
  seq: 0,
});

test('a new store in PostgreSQL has the newest schema', async () => {
  const store = await opened(await server().database());
  expect([store.schema.version, await store.schema.pending()]).toEqual([AFTER, []]);
});

test('a PostgreSQL store of schema 3 can be served, and mon-backend upgrade brings it to the newest schema', async () => {
  const url = await writeEarlier(postgres, MIXED);
  await server().run(url, 'update mon.store set schema = 3');
  const store = await opened(url, { migrations: MIGRATIONS });
  expect([store.schema.version, store.schema.newest]).toEqual([3, BEFORE]);
  expect(await entriesOf(store.scan([]))).toEqual(asStored(MIXED));
  const rig = commandRig();
  await upgradeOffline(store, { ...FLAGS, backup: false }, rig);
  expect(loggedRecords(rig.log)).toEqual([
    ['warn', 'migrating embedded database to a new version', { database_version: 3, new_version: BEFORE }],
    ['info', 'successfully upgraded database', { database_version: BEFORE }],
  ]);
  expect((await opened(url, { migrations: MIGRATIONS })).schema.version).toBe(BEFORE);
  expect(await postgres.content(url)).toEqual(asStored(MIXED));
});

describe('members of a cluster with a pending migration', () => {
  test('a snapshot of a store with an earlier schema returns values in the newest form', async () => {
    const store = await opened(await writeEarlier(postgres, MIXED));
    await using snapshot = await store.snapshot('main');
    // The upgrade rewrites all values. The snapshot still reads the old ones, and returns them in the newest form.
    await store.schema.upgrade(unattended);
    const wanted = inNewForm(MIXED);
    expect(await entriesOf(snapshot.scan([]))).toEqual(wanted);
    expect(await snapshot.getMany(wanted.map(([key]) => key))).toEqual(wanted.map(([, value]) => value));
  });

  test('a follower reads the commits of a leader of an earlier version in the newest form', async () => {
    const url = await writeEarlier(postgres, []);
    const [leader, follower] = [await opened(url, { migrations: MIGRATIONS }), await opened(url)];
    const lease = await leader.acquire('main', 30_000);
    await leader.write(lease, MIXED, []);
    const { records } = await follower.writtenAfter('main', 1, 10);
    const keys = records.flatMap((record) => record.keys);
    expect(await follower.getMany(keys)).toEqual(inNewForm(MIXED).map(([, value]) => value));
  });

  test('a member notices that another process has upgraded the store', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const [member, other] = [await opened(url), await opened(url)];
    await member.meet('main', aboutMember('a'));
    expect(member.schema.version).toBe(BEFORE);
    await other.schema.upgrade(unattended);
    await member.meet('main', aboutMember('a'));
    expect(member.schema.version).toBe(AFTER);
    expect(await entriesOf(member.scan([]))).toEqual(inNewForm(MIXED));
  });

  test('a member that does not support the schema of the store stops writing', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const older = await opened(url, { migrations: MIGRATIONS });
    const lease = await older.acquire('main', 30_000);
    await server().run(url, `update mon.store set schema = ${String(AFTER)}`);
    const refusal = { message: expect.stringContaining(`but this version of mon supports at most ${String(BEFORE)}`) };
    await expect(older.meet('main', aboutMember('a'))).rejects.toMatchObject(refusal);
    await expect(older.write(lease, [put(['stash', 'a'], '1')], [])).rejects.toMatchObject(refusal);
  });
});

describe('an upgrade beside other processes', () => {
  test('an upgrade does not overwrite a value that another process changes after the upgrade has read it', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const [[changed], [deleted], ...rest] = inNewForm(MIXED) as [readonly [Key, string], readonly [Key, string]];
    const other = await connected(url);
    await other.query('begin');
    await other.query('update mon.entry set value = $2 where key = $1', [bytesOf(changed), '{"name":"later"}']);
    await other.query('delete from mon.entry where key = $1', [bytesOf(deleted)]);
    const store = await opened(url);
    // The other transaction is committed after the upgrade has read the batch and begun to write it.
    await store.schema.upgrade({ ...unattended, onProgress: soonAfterStart(() => other.query('commit')) });
    expect(await postgres.content(url)).toEqual([[changed, '{"name":"later"}'], ...rest]);
  });

  test('an upgrade rewrites a value whose row was locked by a transaction that is rolled back', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const other = await connected(url);
    await other.query('begin');
    await other.query('update mon.entry set value = value');
    const store = await opened(url);
    await store.schema.upgrade({ ...unattended, onProgress: soonAfterStart(() => other.query('rollback')) });
    expect(await postgres.content(url)).toEqual(inNewForm(MIXED));
  });

  test('an upgrade that waits for a locked row stops when it is interrupted', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const other = await connected(url);
    await other.query('begin');
    await other.query('update mon.entry set value = value');
    const store = await opened(url);
    const ending = new AbortController();
    const onProgress = soonAfterStart(() => ending.abort(new Error('cut off')));
    await expect(store.schema.upgrade({ signal: ending.signal, onProgress })).rejects.toThrow('cut off');
    await other.query('rollback');
    expect(store.schema.version).toBe(BEFORE);
  });

  test('an upgrade does not deadlock with a transaction that writes the same values in another order', async () => {
    const url = await writeEarlier(postgres, MIXED);
    const [[first], [second], ...rest] = inNewForm(MIXED) as [readonly [Key, string], readonly [Key, string]];
    const other = await connected(url);
    const update = (key: Key): Promise<unknown> =>
      other.query(`update mon.entry set value = '{"name":"later"}' where key = $1`, [bytesOf(key)]);
    await other.query('begin');
    await update(second);
    const written = Promise.withResolvers<unknown>();
    const store = await opened(url);
    const onProgress = soonAfterStart(() => written.resolve(update(first).then(() => other.query('commit'))));
    await Promise.all([store.schema.upgrade({ ...unattended, onProgress }), written.promise]);
    expect(await postgres.content(url)).toEqual([[first, '{"name":"later"}'], [second, '{"name":"later"}'], ...rest]);
  });

  test('two concurrent upgrades end with the newest schema', async () => {
    const ops = [...checks(1200), ...MIXED];
    const url = await writeEarlier(postgres, ops);
    const [one, other] = [await opened(url), await opened(url)];
    await Promise.all([one.schema.upgrade(unattended), other.schema.upgrade(unattended)]);
    expect([one.schema.version, other.schema.version]).toEqual([AFTER, AFTER]);
    expect(await postgres.content(url)).toEqual(inNewForm(ops));
  });
});
