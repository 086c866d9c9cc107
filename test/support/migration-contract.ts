import { describe, expect, onTestFinished, test } from 'vitest';
import type { Key, Store, StoreOp, UpgradeOptions } from '../../daemon/backend/ports.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../daemon/backend/store/migrations/list.ts';
import type { Migration } from '../../daemon/backend/store/migrations/migration.ts';
import type { StepProgress } from '../../shared/schemas/store-upgrade.ts';
import { entriesOf, put } from './store-contract.ts';

/** The schema version before the test migration; `AFTER` is the version after it. */
export const BEFORE = schemaAfterMigrations(MIGRATIONS);
export const AFTER = BEFORE + 1;

/**
 * A test migration of several key prefixes, two of which begin with the same text. It adds the last part of the key to
 * the value, as `name`.
 */
const numbered: Migration = {
  version: AFTER,
  name: 'numbered values',
  prefixes: [['check'], ['handler-group'], ['handler-group-event']],
  rewrite: (key, value) => (value.startsWith('{"name":') ? value : newForm(key, value)),
};

export const oldForm = (n: number): string => JSON.stringify({ n });
export const newForm = (key: Key, old: string): string => JSON.stringify({ name: key.at(-1), ...parsed(old) });
const parsed = (value: string): object => JSON.parse(value) as object;

/** Returns the released migrations, followed by another one. */
export const withNext = (next: Migration = numbered): readonly Migration[] => [...MIGRATIONS, next];

/** Functions to create, open and read the stores of one kind, such as LevelDB. */
export interface StoreKind {
  /** Creates an empty location for a store, and returns it. */
  readonly create: () => Promise<string>;
  /** Opens the store at a location. A new store gets the newest schema of these migrations. */
  readonly open: (location: string, migrations: readonly Migration[]) => Promise<Store>;
  /** Returns the entries of a closed store in their stored form, without the store's internal records. */
  readonly content: (location: string) => Promise<readonly (readonly [Key, string])[]>;
}

/** Upgrade options without an abort and without progress reports. */
export const unattended: UpgradeOptions = { signal: new AbortController().signal, onProgress: () => undefined };

/** Creates a store with the schema before the test migration, writes these values, and returns its location. */
export async function writeEarlier({ create, open }: StoreKind, ops: readonly StoreOp[]): Promise<string> {
  const location = await create();
  const store = await open(location, MIGRATIONS);
  await store.write(await store.acquire('main', 30_000), ops, []);
  await store.close();
  return location;
}

/**
 * Writes of four values in the old form that the test migration rewrites, and of two values that it does not change.
 */
export const MIXED: readonly StoreOp[] = [
  put(['check', 'default', 'web-1', 'disk'], oldForm(1)),
  put(['check', 'default', 'web-1', 'load'], oldForm(2)),
  put(['handler-group', 'default', 'mail', 'a'], oldForm(3)),
  put(['handler-group-event', 'default', 'mail', 'a', 'disk'], oldForm(4)),
  put(['handler-group-told', 'default', 'mail', 'a'], oldForm(5)),
  put(['stash', 'default', 'check'], oldForm(6)),
];

/** Returns the entries that these writes create, in the form after the test migration. */
export function inNewForm(ops: readonly StoreOp[]): (readonly [Key, string])[] {
  return ops.flatMap((op): (readonly [Key, string])[] => {
    if (op.type !== 'put') return [];
    const isBelow = numbered.prefixes.some(([first]) => first === op.key[0]);
    return [[op.key, isBelow ? newForm(op.key, op.value) : op.value]];
  });
}

export const asStored = (ops: readonly StoreOp[]): (readonly [Key, string])[] =>
  ops.flatMap((op) => (op.type === 'put' ? [[op.key, op.value] as const] : []));

const checkKey = (n: number): Key => ['check', 'default', 'web', `check-${String(n).padStart(4, '0')}`];

/** Returns writes of check values in the old form. */
export const checks = (count: number, more = ''): StoreOp[] =>
  Array.from({ length: count }, (_, n) => put(checkKey(n), JSON.stringify({ n, more })));

/** Defines the tests that each kind of store must pass for migrations and upgrades. */
export function migrationContract(name: string, kind: StoreKind): void {
  async function opened(location: string, migrations = withNext()): Promise<Store> {
    const store = await kind.open(location, migrations);
    onTestFinished(() => store.close());
    return store;
  }

  describe(`a pending migration of ${name}`, () => {
    test('values below all prefixes of a migration are read in the newest form, and stored values are not changed', async () => {
      const location = await writeEarlier(kind, MIXED);
      const store = await opened(location);
      expect([store.schema.version, store.schema.newest]).toEqual([BEFORE, AFTER]);
      const wanted = inNewForm(MIXED);
      expect(await entriesOf(store.scan([]))).toEqual(wanted);
      expect(await entriesOf(store.scan(['handler-group']))).toEqual([wanted[2]]);
      expect(await store.getMany(wanted.map(([key]) => key))).toEqual(wanted.map(([, value]) => value));
      expect(await store.getMany([['check', 'none']])).toEqual([undefined]);
      await store.close();
      expect(await kind.content(location)).toEqual(asStored(MIXED));
    });

    test('the count of a pending migration includes the entries of all prefixes', async () => {
      const store = await opened(await writeEarlier(kind, MIXED));
      expect(await store.schema.pending()).toEqual([{ version: AFTER, name: 'numbered values', entries: 4 }]);
      expect(await store.schema.obstacles()).toEqual([]);
    });
  });

  describe(`an upgrade of ${name}`, () => {
    test('an upgrade rewrites the values below all prefixes and then stores the new version', async () => {
      const location = await writeEarlier(kind, MIXED);
      const store = await opened(location);
      await store.schema.upgrade(unattended);
      expect(store.schema.version).toBe(AFTER);
      expect(await store.schema.pending()).toEqual([]);
      expect(await entriesOf(store.scan([]))).toEqual(inNewForm(MIXED));
      await store.close();
      expect(await kind.content(location)).toEqual(inNewForm(MIXED));
      const again = await opened(location);
      expect(again.schema.version).toBe(AFTER);
    });

    test('a program without the migration rejects an upgraded store', async () => {
      const location = await writeEarlier(kind, MIXED);
      const store = await opened(location);
      await store.schema.upgrade(unattended);
      await store.close();
      await expect(kind.open(location, MIGRATIONS)).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining(
          `has schema ${String(AFTER)}, but this version of mon supports at most ${String(BEFORE)}: `,
        ),
      });
    });

    test('the progress of an upgrade grows over all prefixes up to the total', async () => {
      const store = await opened(await writeEarlier(kind, [...checks(1200), ...MIXED]));
      const seen: StepProgress[] = [];
      let rests = 0;
      const rest = async (): Promise<void> => void rests++;
      await store.schema.upgrade({ ...unattended, onProgress: (progress) => seen.push(progress), pause: rest });
      expect(seen.map(({ done }) => done)).toEqual([0, 500, 1000, 1202, 1203, 1204]);
      expect(new Set(seen.map(({ total }) => total))).toEqual(new Set([1204]));
      expect(rests).toBe(5);
    });

    test('an upgrade reads at most a few large values at a time', async () => {
      const large = checks(12, 'x'.repeat(300 * 1024));
      const location = await writeEarlier(kind, large);
      const store = await opened(location);
      const seen: number[] = [];
      await store.schema.upgrade({ ...unattended, onProgress: ({ done }) => seen.push(done) });
      expect(seen.at(-1)).toBe(12);
      expect(seen.length).toBeGreaterThan(3);
      expect(await entriesOf(store.scan([]))).toEqual(inNewForm(large));
    });

    test('an upgrade that is interrupted after any batch completes when it is run again', async () => {
      const ops = [...checks(1200), ...MIXED];
      const location = await writeEarlier(kind, ops);
      const stop = new Error('cut off');
      const stops: number[] = [];
      for (let batches = 0; ; batches++) {
        const store = await kind.open(location, withNext());
        const ending = new AbortController();
        let left = batches;
        const outcome = await store.schema
          .upgrade({
            signal: ending.signal,
            onProgress: ({ done }) => {
              if (left-- > 0) return;
              stops.push(done);
              ending.abort(stop);
            },
          })
          .catch((error: unknown) => error);
        expect(store.schema.version).toBe(outcome === undefined ? AFTER : BEFORE);
        expect(await entriesOf(store.scan([]))).toEqual(inNewForm(ops));
        await store.close();
        if (outcome === undefined) break;
        expect(outcome).toBe(stop);
      }
      expect(stops).toEqual([0, 500, 1000, 1202, 1203, 1204]);
      expect(await kind.content(location)).toEqual(inNewForm(ops));
    });

    test('an upgrade does not overwrite what is written after it has read a batch', async () => {
      const [changed, deleted, kept] = [checkKey(0), checkKey(1), checkKey(2)];
      const location = await writeEarlier(kind, checks(3));
      const writer: { write?: () => Promise<unknown> } = {};
      let written: Promise<unknown> | undefined;
      const racing: Migration = {
        ...numbered,
        rewrite: (key, value) => {
          // At this moment the upgrade has read the batch, and has not written it yet.
          written ??= writer.write?.();
          return numbered.rewrite(key, value);
        },
      };
      const store = await opened(location, withNext(racing));
      const lease = await store.acquire('main', 30_000);
      const ops: StoreOp[] = [put(changed, '{"name":"later"}'), { type: 'del', key: deleted }];
      writer.write = () => store.write(lease, ops, []);
      await store.schema.upgrade(unattended);
      await written;
      await store.close();
      expect(await kind.content(location)).toEqual([
        [changed, '{"name":"later"}'],
        [kept, newForm(kept, '{"n":2,"more":""}')],
      ]);
    });
  });
}
