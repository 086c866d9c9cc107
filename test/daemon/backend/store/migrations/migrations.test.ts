import { describe, expect, test } from 'vitest';
import type { StepProgress } from '../../../../../shared/schemas/store-upgrade.ts';
import {
  decodeCheckRecord,
  encodeCheckRecord,
  checkStateOf,
} from '../../../../../daemon/backend/model/events/check-record.ts';
import { SCHEMA_VERSION, STORE_ID } from '../../../../../daemon/backend/store/keys.ts';
import { openLevelStore } from '../../../../../daemon/backend/store/level-store.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../../daemon/backend/store/migrations/list.ts';
import { notificationLog } from '../../../../../daemon/backend/store/migrations/005-notification-log.ts';
import { ensureSchema } from '../../../../../daemon/backend/store/migrations/schema-version.ts';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import { encodeTuple } from '../../../../../daemon/backend/store/tuple.ts';
import {
  checkRecordsOf,
  contentOf,
  earlierStore,
  emptyDatabase,
  onClosed,
  upgradeStore,
} from '../../../../support/earlier-stores.ts';
import { entriesOf } from '../../../../support/store-contract.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const NEWEST = schemaAfterMigrations(MIGRATIONS);
const SCHEMA_KEY = encodeTuple(SCHEMA_VERSION);

test('the released migrations are numbered from 2 without a gap', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 2));
});

test('the key prefixes of each migration do not overlap, and each begins with a string', () => {
  for (const { prefixes } of MIGRATIONS) {
    expect(prefixes.filter(([first]) => typeof first !== 'string')).toEqual([]);
    const encoded = prefixes.map(encodeTuple);
    for (const one of encoded) expect(encoded.filter((other) => other.startsWith(one))).toEqual([one]);
  }
});

describe('an empty database', () => {
  test('an empty database becomes a store of the newest schema', async () => {
    const database = await emptyDatabase();
    expect(await ensureSchema(database, MIGRATIONS)).toBe(NEWEST);
    expect(await database.keys().all()).toEqual([encodeTuple(STORE_ID), SCHEMA_KEY]);
    expect(await database.get(SCHEMA_KEY)).toBe(String(NEWEST));
  });

  test('an empty database keeps the store id that an interrupted first start wrote', async () => {
    const database = await emptyDatabase();
    await database.put(encodeTuple(STORE_ID), '"mine"');
    await ensureSchema(database, MIGRATIONS);
    expect(await database.get(encodeTuple(STORE_ID))).toBe('"mine"');
  });
});

describe('the upgrade of a store of schema 1', () => {
  test('check records of all three old forms are migrated to the current form', async () => {
    const [mixed, today] = await Promise.all([
      earlierStore({ schema: 1 }),
      earlierStore({ schema: 1, forms: ['state-first'] }),
    ]);
    const before = await contentOf(today);
    expect(await contentOf(mixed)).not.toEqual(before);
    await Promise.all([upgradeStore(mixed), upgradeStore(today)]);
    const after = await contentOf(mixed);
    expect(after).toEqual(await contentOf(today));
    // Apart from the notification logs of events, only the stored schema version has changed.
    expect(after).toEqual(
      before.map(([key, value]) => [
        key,
        key.join('/') === SCHEMA_VERSION.join('/') ? String(NEWEST) : notificationLog.rewrite(key, value),
      ]),
    );
  });

  test('migrated check records are identical to those that the backend writes', async () => {
    const dir = await earlierStore({ schema: 1 });
    await upgradeStore(dir);
    const records = (await checkRecordsOf(dir)).map(([, value]) => value);
    expect(records).toHaveLength(24);
    const written = records.map((value) => {
      const record = decodeCheckRecord(value);
      return encodeCheckRecord(checkStateOf(record), record, record.deletionsBefore ?? 0);
    });
    expect(records).toEqual(written);
  });
});

describe('the upgrade of a store of schema 2', () => {
  test('a migrated check configuration gets its name and namespace and keeps all other attributes', async () => {
    const dir = await earlierStore({
      schema: 2,
      namespaces: ['web'],
      checks: { default: ['disk'], web: ['disk', 'http'] },
    });
    await upgradeStore(dir);
    const checks = (await contentOf(dir)).filter(([[table]]) => table === 'definition');
    expect(checks.map(([key, value]) => [key, (JSON.parse(value) as { metadata: object }).metadata])).toEqual([
      [['definition', 'checks', 'default', 'disk'], { name: 'disk', namespace: 'default', labels: { team: 'web' } }],
      [['definition', 'checks', 'web', 'disk'], { name: 'disk', namespace: 'web', labels: { team: 'web' } }],
      [['definition', 'checks', 'web', 'http'], { name: 'http', namespace: 'web', labels: { team: 'web' } }],
    ]);
    expect(JSON.parse(checks[2]?.[1] ?? '')).toEqual({
      metadata: { name: 'http', namespace: 'web', labels: { team: 'web' } },
      command: 'check-http',
      subscriptions: ['web'],
      interval: 60,
      publish: true,
      round_robin: true,
    });
  });

  test('each check of a missing namespace is an obstacle to the migration with a remedy', async () => {
    const dir = await earlierStore({
      schema: 2,
      namespaces: ['web'],
      checks: { default: ['disk'], gone: ['disk', 'http'], lost: ['cpu'], web: ['disk'] },
    });
    await using opened = await openSchema(dir);
    const problem = {
      detail: 'checks refer to it',
      component: 'store-providers',
      message: 'error enabling round robin scheduling,backend restart required',
    };
    expect(await opened.schema.obstacles()).toEqual([
      {
        ...problem,
        reason: 'the namespace gone does not exist',
        remedy: [
          'monctl namespace create gone',
          'monctl check delete disk --namespace gone --skip-confirm',
          'monctl check delete http --namespace gone --skip-confirm',
          'monctl namespace delete gone --skip-confirm',
          'mon-backend upgrade',
        ],
      },
      {
        ...problem,
        reason: 'the namespace lost does not exist',
        remedy: [
          'monctl namespace create lost',
          'monctl check delete cpu --namespace lost --skip-confirm',
          'monctl namespace delete lost --skip-confirm',
          'mon-backend upgrade',
        ],
      },
    ]);
  });
});

describe('an upgrade', () => {
  test('an upgrade that is interrupted after any batch completes when it is run again', async () => {
    const size = { schema: 1, clients: 25, checksEach: 100 } as const;
    const [whole, cut] = await Promise.all([earlierStore(size), earlierStore(size)]);
    await upgradeStore(whole);
    const stop = new Error('cut off');
    const places: string[] = [];
    for (let batches = 0; ; batches++) {
      await using opened = await openSchema(cut);
      const ending = new AbortController();
      let left = batches;
      const upgrade = opened.schema.upgrade({
        signal: ending.signal,
        onProgress: ({ version, done }) => {
          if (left-- > 0) return;
          places.push(`${String(version)}:${String(done)}`);
          ending.abort(stop);
        },
      });
      const outcome = await upgrade.catch((error: unknown) => error);
      if (outcome === undefined) break;
      expect(outcome).toBe(stop);
    }
    expect(places).toEqual(['2:0', '2:500', '2:1000', '2:1500', '2:2000', '2:2500', '3:0', '5:2500']);
    expect(await contentOf(cut)).toEqual(await contentOf(whole));
  });

  test('an upgrade reports its progress until it reaches the total', async () => {
    const dir = await earlierStore({ schema: 1, clients: 12, checksEach: 100, checks: { default: ['disk'] } });
    const reported: StepProgress[] = [];
    await using opened = await openSchema(dir);
    expect(await opened.schema.pending()).toEqual([
      { version: 2, name: 'check records', entries: 1200 },
      { version: 3, name: 'check configurations', entries: 1 },
      { version: 4, name: 'results stored as differences', entries: 0 },
      { version: 5, name: 'notification log', entries: 1200 },
    ]);
    let rests = 0;
    await opened.schema.upgrade({
      signal: new AbortController().signal,
      onProgress: (progress) => reported.push(progress),
      pause: async () => void rests++,
    });
    // An upgrade of a running backend pauses after each batch, so that requests are served.
    expect(rests).toBe(7);
    expect(reported.map(({ version, done, total }) => [version, done, total])).toEqual([
      [2, 0, 1200],
      [2, 500, 1200],
      [2, 1000, 1200],
      [2, 1200, 1200],
      [3, 0, 1],
      [3, 1, 1],
      [4, 0, 0],
      [5, 0, 1200],
      [5, 500, 1200],
      [5, 1000, 1200],
      [5, 1200, 1200],
    ]);
    expect(opened.schema.version).toBe(NEWEST);
    expect(await opened.schema.pending()).toEqual([]);
  });
});

test('a store of an earlier schema is read in the newest form without being changed', async () => {
  const dir = await earlierStore({ schema: 1 });
  const before = await contentOf(dir);
  const newest = await earlierStore({ schema: 1 });
  await upgradeStore(newest);
  const [old, current] = [await openLevelStore(dir), await openLevelStore(newest)];
  try {
    const key = ['check', 'default', 'web-0', 'check-0'];
    expect(await old.getMany([key])).toEqual(await current.getMany([key]));
    expect(await entriesOf(old.scan([]))).toEqual(await entriesOf(current.scan([])));
    expect([old.schema.version, current.schema.version]).toEqual([1, NEWEST]);
  } finally {
    await old.close();
    await current.close();
  }
  expect(await contentOf(dir)).toEqual(before);
});

describe('databases that are not opened', () => {
  test.each<{ name: string; entry: [string, string]; code: string; message: RegExp }>([
    {
      name: 'a schema of a newer program',
      entry: [SCHEMA_KEY, String(NEWEST + 1)],
      code: 'invalid',
      message: new RegExp(
        `has schema ${String(NEWEST + 1)}, but this version of mon supports at most ${String(NEWEST)}`,
      ),
    },
    { name: 'the version "x"', entry: [SCHEMA_KEY, 'x'], code: 'internal', message: /damaged \("x"\)/ },
    { name: 'the version 0', entry: [SCHEMA_KEY, '0'], code: 'internal', message: /damaged/ },
    { name: 'the version 1.5', entry: [SCHEMA_KEY, '1.5'], code: 'internal', message: /damaged/ },
    { name: 'the version ""', entry: [SCHEMA_KEY, ''], code: 'internal', message: /damaged/ },
    {
      name: 'an entry of another program',
      entry: ['somebody', 'else'],
      code: 'invalid',
      message: /is not a mon database/,
    },
  ])('a database with $name is rejected as a store and not changed', async ({ entry, code, message }) => {
    const dir = await tempDir();
    await onClosed(dir, (database) => database.put(...entry));
    const refusal = expect.objectContaining({ name: 'MonError', code, message: expect.stringMatching(message) });
    await expect(openLevelStore(dir)).rejects.toEqual(refusal);
    await expect(openSchema(dir)).rejects.toEqual(refusal);
    expect(await onClosed(dir, (database) => database.iterator().all())).toEqual([entry]);
  });

  test('upgrading a directory without a store is rejected', async () => {
    await expect(openSchema(await tempDir())).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('there is no store in'),
    });
  });
});
