import { Level } from 'level';
import { expect, onTestFinished, test } from 'vitest';
import type { Key, Lease, Store, StoreOp } from '../../../../daemon/backend/ports.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { del, entriesOf, put } from '../../../support/store-contract.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DISK: Key = ['check', 'default', 'web-1', 'disk'];
const LOAD: Key = ['check', 'default', 'web-1', 'load'];

const amendable = (key: Key, stamp: string, ...parts: readonly string[]): StoreOp => ({
  type: 'amendable',
  key,
  stamp,
  parts,
});
const amend = (key: Key, stamp: string, ...parts: readonly (string | undefined)[]): StoreOp => ({
  type: 'amend',
  key,
  stamp,
  parts,
});

interface Opened {
  readonly store: Store;
  readonly dir: string;
  readonly write: (...ops: readonly StoreOp[]) => Promise<number>;
}

async function open(dir?: string): Promise<Opened> {
  const at = dir ?? (await tempDir());
  const store = await openLevelStore(at);
  onTestFinished(() => store.close());
  const lease: Lease = await store.acquire('main', 30_000);
  return { store, dir: at, write: (...ops) => store.write(lease, ops, []) };
}

/** Reads a value by its key, and checks that a scan returns the same value. */
async function read(store: Store, key: Key = DISK): Promise<string | undefined> {
  const [value] = await store.getMany([key]);
  const scanned = (await entriesOf(store.scan(key))).find(([found]) => found.length === key.length);
  expect(scanned?.[1]).toBe(value);
  return value;
}

test('a value that was written in parts is read as the concatenation of its parts', async () => {
  const { store, write } = await open();
  await write(amendable(DISK, 's1', '{"a":', '', '1}'));
  expect(await read(store)).toBe('{"a":1}');
});

test.each<{ title: string; parts: (string | undefined)[]; fullValue: string }>([
  { title: 'the first part', parts: ['A-', undefined, undefined], fullValue: 'A-bc' },
  { title: 'the last part', parts: [undefined, undefined, 'longer'], fullValue: 'ablonger' },
  { title: 'the parts around an unchanged part', parts: ['', undefined, 'ü'], fullValue: 'bü' },
  { title: 'all parts', parts: ['1', '2', '3'], fullValue: '123' },
  { title: 'no part', parts: [undefined, undefined, undefined], fullValue: 'abc' },
])('amending a value replaces the given parts: $title', async ({ parts, fullValue }) => {
  const { store, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b', 'c'));
  await write(amend(DISK, 's1', ...parts));
  expect(await read(store)).toBe(fullValue);
});

test('the second amendment of a value replaces the first amendment completely', async () => {
  const { store, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b'));
  await write(amend(DISK, 's1', 'A', 'B'));
  await write(amend(DISK, 's1', undefined, 'BB'));
  expect(await read(store)).toBe('aBB');
});

test('an amended value with any characters is read unchanged', async () => {
  const { store, write } = await open();
  const odd = JSON.stringify('\u0001\u0002 \n-1,2 𝄞 \ud800');
  await write(amendable(DISK, 's1', odd, odd), amend(DISK, 's1', undefined, `${odd}${odd}`));
  expect(await read(store)).toBe(`${odd}${odd}${odd}`);
});

test('an amendment of an old value does not change the value that replaced the old value', async () => {
  const { store, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b'), amend(DISK, 's1', 'A', 'B'));
  await write(put(DISK, 'plain'));
  expect(await read(store)).toBe('plain');
  await write(amendable(DISK, 's2', 'c', 'd'));
  expect(await read(store)).toBe('cd');
  await write(amend(DISK, 's1', 'late', 'late'));
  expect(await read(store)).toBe('cd');
  // The stamp `s` is only a prefix of `s1`, so the late amendment with the stamp `s1` does not apply.
  await write(amendable(DISK, 's', 'e', 'f'));
  expect(await read(store)).toBe('ef');
});

test('deleting an amended value deletes its amendment', async () => {
  const { store, dir, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b'), amend(DISK, 's1', 'A', 'B'), put(['last'], '1'));
  await write(del(DISK));
  expect(await read(store)).toBeUndefined();
  await store.close();
  const database = new Level(dir);
  await database.open();
  const keys = await database.keys().all();
  expect(keys.filter((key) => key.startsWith('!check'))).toEqual([]);
  await database.close();
});

test('an amended value counts as one entry in a limited scan and in a scan that continues after a key', async () => {
  const { store, write } = await open();
  await write(
    put(['check', 'a'], 'first'),
    amendable(DISK, 's1', 'a', 'b'),
    amend(DISK, 's1', 'A', undefined),
    amendable(LOAD, 's2', 'c', 'd'),
    put(['check', 'z'], 'last'),
  );
  const values = async (options: { limit?: number; after?: Key }): Promise<string[]> =>
    (await entriesOf(store.scan(['check'], options))).map(([, value]) => value);
  expect(await values({})).toEqual(['first', 'Ab', 'cd', 'last']);
  expect(await values({ limit: 2 })).toEqual(['first', 'Ab']);
  expect(await values({ limit: 3 })).toEqual(['first', 'Ab', 'cd']);
  expect(await values({ limit: 0 })).toEqual([]);
  expect(await values({ after: DISK })).toEqual(['cd', 'last']);
  expect(await values({ after: DISK, limit: 1 })).toEqual(['cd']);
  expect(await values({ after: ['check', 'a'], limit: 1 })).toEqual(['Ab']);
});

test('reading many keys returns the current value of each key, amended or not', async () => {
  const { store, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b'), amend(DISK, 's1', 'A', undefined), amendable(LOAD, 's2', 'c', 'd'));
  await write(put(['client', 'default', 'web-1'], 'client'));
  expect(await store.getMany([LOAD, ['client', 'default', 'web-1'], ['check', 'none'], DISK])).toEqual([
    'cd',
    'client',
    undefined,
    'Ab',
  ]);
});

test('amended values are the same after the store was closed and opened', async () => {
  const { store, dir, write } = await open();
  await write(amendable(DISK, 's1', 'a', 'b'));
  await write(amend(DISK, 's1', 'A', undefined));
  await store.close();
  const again = await open(dir);
  expect(await read(again.store)).toBe('Ab');
});
