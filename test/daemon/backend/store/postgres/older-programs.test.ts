import { describe, expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS } from '../../../../../daemon/backend/store/migrations/list.ts';
import { openPostgresStore, type PostgresStore } from '../../../../../daemon/backend/store/postgres/postgres-store.ts';
import type { MemberAnnouncement } from '../../../../../daemon/backend/store/shared-store.ts';
import { upgradeOffline } from '../../../../../daemon/backend/store/upgrade/upgrade-command.ts';
import { commandRig, FLAGS } from '../../../../support/command-rig.ts';
import { AFTER, BEFORE, checks, MIXED, unattended, withNext } from '../../../../support/migration-contract.ts';
import { postgresOfFile } from '../../../../support/shared-database.ts';
import { put } from '../../../../support/store-contract.ts';

const server = postgresOfFile();

async function opened(url: string, migrations = withNext()): Promise<PostgresStore> {
  const store = await openPostgresStore(url, { migrations });
  onTestFinished(() => store.close());
  return store;
}

/** Returns a store before the test migration, opened by a program without that migration and by one that has it. */
async function openedByBoth(ops = MIXED): Promise<{ url: string; older: PostgresStore; store: PostgresStore }> {
  const url = await server().database();
  const older = await opened(url, MIGRATIONS);
  const lease = await older.acquire('main', 30_000);
  await older.write(lease, ops, []);
  await lease.release();
  return { url, older, store: await opened(url) };
}

const row = (name: string): MemberAnnouncement => ({
  name,
  url: `http://${name}:4567`,
  fingerprint: undefined,
  proof: undefined,
  version: '1.0.0',
  seq: 0,
});

const reasonsOf = async ({ schema }: PostgresStore): Promise<string[]> =>
  (await schema.obstacles()).map(({ reason }) => reason);

const cannotRead = (name: string): RegExp =>
  new RegExp(
    `^the backend ${name} \\(http://${name}:4567, version 1.0.0, seen \\d+ s ago\\) cannot read schema ${String(AFTER)}$`,
  );

describe('members of an earlier version during an upgrade', () => {
  test('a member of an earlier version prevents a schema upgrade until the member leaves', async () => {
    const { older, store } = await openedByBoth();
    await older.meet('main', row('mon-1'));
    await store.meet('main', row('mon-2'));
    expect(await store.schema.obstacles()).toEqual([
      {
        reason: expect.stringMatching(cannotRead('mon-1')),
        component: 'store',
        message: 'a backend of an earlier version shares the store',
        remedy: [
          'monctl cluster list  # install the new version on mon-1 and restart it, or stop it',
          'mon-backend upgrade --no-backup',
        ],
      },
    ]);
    const flags = { ...FLAGS, backup: false as const };
    await expect(upgradeOffline(store, flags, commandRig())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /cannot read schema \d+; nothing was changed\. To fix this, run:\n {2}monctl cluster list /,
      ),
    });
    expect(store.schema.version).toBe(BEFORE);
    await older.leave();
    await upgradeOffline(store, flags, commandRig());
    expect(store.schema.version).toBe(AFTER);
  });

  test('a member that publishes no schema prevents a schema upgrade while it is listed', async () => {
    const { url, store } = await openedByBoth();
    await server().run(
      url,
      `insert into mon.member (id, name, url, version, seq) values ('x', 'mon-1', 'http://mon-1:4567', '1.0.0', 0)`,
    );
    expect(await reasonsOf(store)).toEqual([expect.stringMatching(cannotRead('mon-1'))]);
    await server().run(url, `update mon.member set last_seen = now() - interval '9 minutes'`);
    expect(await reasonsOf(store)).toHaveLength(1);
    await server().run(url, `update mon.member set last_seen = now() - interval '11 minutes'`);
    expect(await reasonsOf(store)).toEqual([]);
  });

  test('a killed member no longer prevents a schema upgrade once a new member has started at its address', async () => {
    const { older, store } = await openedByBoth();
    await older.meet('main', row('mon-1'));
    expect(await reasonsOf(store)).toHaveLength(1);
    await store.meet('main', row('mon-1'));
    expect(await reasonsOf(store)).toEqual([]);
  });

  test('a killed member prevents a schema upgrade while it holds the lease', async () => {
    const { older, store } = await openedByBoth();
    await older.acquire('main', 30_000);
    await older.meet('main', row('mon-1'));
    await store.meet('main', row('mon-1'));
    expect(await reasonsOf(store)).toEqual([expect.stringMatching(cannotRead('mon-1'))]);
  });

  test('a member of an earlier version is no obstacle if the store is already up to date', async () => {
    const { url, older } = await openedByBoth();
    await older.meet('main', row('mon-1'));
    const same = await opened(url, MIGRATIONS);
    expect(await same.schema.obstacles()).toEqual([]);
    await same.schema.upgrade(unattended);
  });

  test('a schema upgrade stops when a member of an earlier version joins, and can be run again afterwards', async () => {
    const { older, store } = await openedByBoth(checks(1200));
    const joining = store.schema.upgrade({
      ...unattended,
      pause: async () => void (await older.meet('main', row('mon-1'))),
    });
    await expect(joining).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^migration \d+ \(numbered values\) .* failed: the backend mon-1 .* cannot read/),
    });
    expect(store.schema.version).toBe(BEFORE);
    await older.leave();
    await store.schema.upgrade(unattended);
    expect(store.schema.version).toBe(AFTER);
  });
});

describe('processes that are not listed as members', () => {
  test('a process that holds the lease and is not listed as a member prevents a schema upgrade', async () => {
    const { older, store } = await openedByBoth();
    const lease = await older.acquire('main', 30_000);
    expect(await store.schema.obstacles()).toMatchObject([
      {
        reason: expect.stringMatching(/^a process that is not listed as a member holds a lease for \d+ s$/),
        message: 'an unknown process writes to the store',
      },
    ]);
    await lease.release();
    expect(await store.schema.obstacles()).toEqual([]);
  });

  test('the process that runs a schema upgrade may hold the lease itself', async () => {
    const { store } = await openedByBoth();
    await store.acquire('main', 30_000);
    expect(await store.schema.obstacles()).toEqual([]);
    await store.schema.upgrade(unattended);
    expect(store.schema.version).toBe(AFTER);
  });

  test('a process of an earlier version that was paused before an upgrade cannot write after the upgrade', async () => {
    const { url, older, store } = await openedByBoth();
    const lease = await older.acquire('main', 30_000);
    await server().run(url, `update mon.lease set good_until = now() - interval '1 second'`);
    await store.schema.upgrade(unattended);
    await expect(older.write(lease, [put(['stash', 'a'], '1')], [])).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('opening a store from before members published their schema adds the missing column', async () => {
  const { url, older } = await openedByBoth();
  await server().run(url, 'alter table mon.member drop column newest_schema');
  const store = await opened(url);
  await older.meet('main', row('mon-1'));
  expect(await reasonsOf(store)).toHaveLength(1);
});
