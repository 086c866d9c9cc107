import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change, ChangeRecord, Key, Lease, Store, StoreOp } from '../../daemon/backend/ports.ts';
import { tempDir } from './temp-dir.ts';
import { propertyRuns } from './property-runs.ts';

export const put = (key: Key, value: string): StoreOp => ({ type: 'put', key, value });
export const del = (key: Key): StoreOp => ({ type: 'del', key });

export async function entriesOf(scan: AsyncIterable<readonly [Key, string]>): Promise<(readonly [Key, string])[]> {
  const entries: (readonly [Key, string])[] = [];
  for await (const entry of scan) entries.push(entry);
  return entries;
}

const event = (check: string): Change => ['event', 'default', 'web-1', check];

const lastName = (change: Change): string => change.findLast((part) => typeof part === 'string') ?? '';

/** Returns the change records as text, one line per record. */
const recordTexts = (records: readonly ChangeRecord[]): string[] =>
  records.map(({ seq, changes }) => `${String(seq)}: ${changes.map(lastName).join(' ')}`);

/**
 * Defines the tests that each implementation of `Store` must pass.
 *
 * @param open callback that opens the store in a directory, which is empty or contains a closed store
 */
export function storeContract(name: string, open: (dir: string) => Promise<Store>): void {
  async function opened(): Promise<{ store: Store; lease: Lease; dir: string; reopen: () => Promise<Store> }> {
    const dir = await tempDir();
    const store = await open(dir);
    const reopen = async (): Promise<Store> => {
      await store.close();
      return open(dir);
    };
    return { store, lease: await store.acquire('main', 30_000), dir, reopen };
  }

  describe(`the values of ${name}`, () => {
    test('values are read in the order of the keys, with undefined for missing ones', async () => {
      const { store, lease } = await opened();
      await store.write(lease, [put(['a'], '1'), put(['b'], '2')], []);
      expect(await store.getMany([['b'], ['c'], ['a']])).toEqual(['2', undefined, '1']);
      expect(await store.getMany([])).toEqual([]);
      await store.close();
    });

    test.each<{ name: string; ops: StoreOp[]; expected: string | undefined }>([
      { name: 'of two puts', ops: [put(['k'], '1'), put(['k'], '2')], expected: '2' },
      { name: 'of a put and a delete', ops: [put(['k'], '1'), del(['k'])], expected: undefined },
      { name: 'of a delete and a put', ops: [del(['k']), put(['k'], '2')], expected: '2' },
    ])('the last op on a key wins: $name', async ({ ops, expected }) => {
      const { store, lease } = await opened();
      await store.write(lease, [put(['k'], '0')], []);
      await store.write(lease, ops, []);
      expect(await store.getMany([['k']])).toEqual([expected]);
      await store.close();
    });

    test('a write with one invalid operation stores nothing and takes no sequence number', async () => {
      const { store, lease } = await opened();
      await expect(store.write(lease, [put(['a'], '1'), put([], '2')], [event('x')])).rejects.toMatchObject({
        code: 'invalid',
      });
      expect(await store.getMany([['a']])).toEqual([undefined]);
      expect(await store.write(lease, [], [])).toBe(1);
      await store.close();
    });

    test.each<{ name: string; key: Key }>([
      { name: 'empty', key: [] },
      { name: 'beginning with a number', key: [0, 'schema'] },
      { name: 'with a negative number', key: ['a', -1] },
      { name: 'with a fraction', key: ['a', 0.5] },
      { name: 'with a number beyond 2^53', key: ['a', 2 ** 53] },
      { name: 'with half a surrogate pair', key: ['a\ud800'] },
    ])('a key that is $name is rejected', async ({ key }) => {
      const { store, lease } = await opened();
      await expect(store.write(lease, [put(key, '')], [])).rejects.toMatchObject({ code: 'invalid' });
      await expect(store.getMany([key])).rejects.toMatchObject({ code: 'invalid' });
      await store.close();
    });

    test('any text is stored unchanged', async () => {
      const { store, lease } = await opened();
      const texts = ['', 'a:b', '\u0000', '\u0001\u0002', '/', 'ü', '漢字', '😀', '\uffff', 'x'.repeat(5000)];
      await store.write(
        lease,
        texts.map((text, index) => put([text, index], `${text}${String(index)}`)),
        [],
      );
      expect(await store.getMany(texts.map((text, index) => [text, index]))).toEqual(
        texts.map((text, index) => `${text}${String(index)}`),
      );
      await store.close();
    });

    test('a store that is opened again has all its content and the same id', async () => {
      const { store, lease, reopen } = await opened();
      await store.write(lease, [put(['a', 1], '1'), put(['b'], '2')], [event('x')]);
      await store.write(lease, [del(['b'])], [event('y')], 'process');
      const again = await reopen();
      expect(await entriesOf(again.scan([]))).toEqual([[['a', 1], '1']]);
      expect(again.lastSeq('main')).toBe(2);
      expect(again.id).toBe(store.id);
      await again.close();
    });

    test('every store has a unique id', async () => {
      const [one, other] = [await opened(), await opened()];
      expect(one.store.id).toMatch(/^[\w-]{8,64}$/);
      expect(one.store.id).not.toBe(other.store.id);
      await Promise.all([one.store.close(), other.store.close()]);
    });

    test('a store responds like a map after any sequence of writes and reads', async () => {
      const part = fc.oneof(fc.constantFrom('', 'a', 'ab', 'b', 'a:b', '\u0000'), fc.nat(12));
      const key = fc.tuple(fc.constantFrom('a', 'ab'), part, part).map((parts): Key => parts);
      const op = fc.oneof(
        fc.tuple(key, fc.string({ maxLength: 3 })).map(([at, value]) => put(at, value)),
        key.map(del),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(op, { maxLength: 8 }), { maxLength: 6 }), part, async (writes, second) => {
          const { store, lease } = await opened();
          const model = new Map<string, string>();
          for (const ops of writes) {
            await store.write(lease, ops, []);
            for (const each of ops) {
              if (each.type === 'put') model.set(JSON.stringify(each.key), each.value);
              else model.delete(JSON.stringify(each.key));
            }
          }
          const stored = await entriesOf(store.scan([]));
          expect(new Map(stored.map(([at, value]) => [JSON.stringify(at), value]))).toEqual(model);
          expect(await entriesOf(store.scan(['a', second]))).toEqual(
            stored.filter(([at]) => at[0] === 'a' && at[1] === second),
          );
          await store.close();
        }),
        { numRuns: propertyRuns(8) },
      );
    });
  });

  describe(`the scans of ${name}`, () => {
    const inOrder: Key[] = [
      ['a'],
      ['a', 0],
      ['a', 9],
      ['a', 10],
      ['a', 2 ** 53 - 1],
      ['a', ''],
      ['a', '1'],
      ['a', '10'],
      ['a', '9'],
      ['a', '9', 'x'],
      ['a', 'Z'],
      ['a', 'a'],
      ['a', 'ä'],
      ['a', '\uffff'],
      ['a', '😀'],
      ['a\u0000'],
      ['a:b'],
      ['ab'],
      ['b', 0, 'x'],
    ];

    async function filled(): Promise<Store> {
      const { store, lease } = await opened();
      await store.write(
        lease,
        inOrder.toReversed().map((key) => put(key, JSON.stringify(key))),
        [event('x')],
      );
      return store;
    }

    test('a scan is sorted part by part: numbers by value, then strings by their UTF-8 bytes', async () => {
      const store = await filled();
      expect(await entriesOf(store.scan([]))).toEqual(inOrder.map((key) => [key, JSON.stringify(key)]));
      await store.close();
    });

    test.each<{ name: string; prefix: Key; from: number; to: number }>([
      { name: 'the key that is the prefix, and all below it', prefix: ['a'], from: 0, to: 15 },
      { name: 'not the keys that only begin with the same characters', prefix: ['a', '9'], from: 8, to: 10 },
      { name: 'not the numbers that only begin with the same digits', prefix: ['b', 0], from: 18, to: 19 },
      { name: 'nothing where there is nothing', prefix: ['c'], from: 0, to: 0 },
    ])('a scan is bounded: $name', async ({ prefix, from, to }) => {
      const store = await filled();
      const keys = (await entriesOf(store.scan(prefix))).map(([key]) => key);
      expect(keys).toEqual(inOrder.slice(from, to));
      await store.close();
    });

    test('a scan in pages returns every entry once', async () => {
      const store = await filled();
      const pages: Key[][] = [];
      let after: Key | undefined;
      do {
        const page = await entriesOf(store.scan([], { limit: 4, ...(after === undefined ? {} : { after }) }));
        pages.push(page.map(([key]) => key));
        after = page.at(-1)?.[0];
      } while (after !== undefined);
      expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 3, 0]);
      expect(pages.flat()).toEqual(inOrder);
      await store.close();
    });

    test('a scan after a key that no longer exists starts with the next one', async () => {
      const store = await filled();
      expect(await entriesOf(store.scan(['a'], { after: ['a', 5], limit: 1 }))).toEqual([[['a', 9], '["a",9]']]);
      expect(await entriesOf(store.scan(['a'], { limit: 0 }))).toEqual([]);
      await store.close();
    });

    test.each<{ name: string; options: { after?: Key; limit?: number } }>([
      { name: 'to go on after a key outside of the prefix', options: { after: ['ab'] } },
      { name: 'a negative limit', options: { limit: -1 } },
    ])('a scan rejects $name', async ({ options }) => {
      const store = await filled();
      expect(() => store.scan(['a'], options)).toThrow(expect.objectContaining({ code: 'invalid' }));
      await store.close();
    });

    test('a scan returns the state at its call, whatever is written meanwhile', async () => {
      const { store, lease } = await opened();
      const many = Array.from({ length: 2500 }, (_, index) => put(['k', index], 'old'));
      await store.write(lease, many, []);
      const scan = store.scan(['k']);
      await store.write(lease, [del(['k', 2400]), put(['k', 2499], 'new'), put(['k', 2500], 'new')], []);
      const entries = await entriesOf(scan);
      expect(entries).toHaveLength(2500);
      expect(entries.every(([, value]) => value === 'old')).toBe(true);
      await store.close();
    });

    test('a scan ends when its reader stops', async () => {
      const store = await filled();
      for await (const [key] of store.scan(['a'])) {
        expect(key).toEqual(['a']);
        break;
      }
      await store.close();
    });
  });

  describe(`the sequence numbers of ${name}`, () => {
    test('sequence numbers are dense from 1, including writes without operations or changes', async () => {
      const { store, lease } = await opened();
      expect(store.lastSeq('main')).toBe(0);
      expect(await store.write(lease, [put(['a'], '1')], [event('x')])).toBe(1);
      expect(await store.write(lease, [], [])).toBe(2);
      expect(await store.write(lease, [del(['a'])], [], 'process')).toBe(3);
      expect(store.lastSeq('main')).toBe(3);
      await store.close();
    });

    test('a store numbers simultaneous writes in the order of the calls', async () => {
      const { store, lease } = await opened();
      const writes = Array.from({ length: 50 }, async (_, index) =>
        store.write(lease, [put(['last'], String(index))], [], index % 2 === 0 ? 'power' : 'process'),
      );
      expect(await Promise.all(writes)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      expect(await store.getMany([['last']])).toEqual(['49']);
      await store.close();
    });

    test('each shard has its own sequence numbers', async () => {
      const { store, lease, reopen } = await opened();
      const other = await store.acquire('other', 30_000);
      await store.write(lease, [], []);
      await store.write(lease, [], []);
      expect(await store.write(other, [], [])).toBe(1);
      const again = await reopen();
      expect([again.lastSeq('main'), again.lastSeq('other'), again.lastSeq('third')]).toEqual([2, 1, 0]);
      await again.close();
    });
  });

  describe(`the leases of ${name}`, () => {
    test('a newer lease ends the older one', async () => {
      const { store, lease } = await opened();
      const newer = await store.acquire('main', 30_000);
      expect(newer.epoch).toBeGreaterThan(lease.epoch);
      await expect(lease.renew()).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.write(lease, [put(['a'], 'old')], [])).rejects.toMatchObject({ code: 'conflict' });
      await newer.renew();
      expect(await store.write(newer, [put(['a'], 'new')], [])).toBe(1);
      await lease.release();
      expect(await store.write(newer, [], [])).toBe(2);
      expect(await store.getMany([['a']])).toEqual(['new']);
      await store.close();
    });

    test('a released lease cannot write', async () => {
      const { store, lease } = await opened();
      await lease.release();
      await expect(store.write(lease, [], [])).rejects.toMatchObject({ code: 'conflict' });
      await store.close();
    });

    test('epochs keep growing after the store was opened again, and old leases stay invalid', async () => {
      const { lease, reopen } = await opened();
      const again = await reopen();
      await expect(again.write(lease, [], [])).rejects.toMatchObject({ code: 'conflict' });
      expect((await again.acquire('main', 30_000)).epoch).toBeGreaterThan(lease.epoch);
      await again.close();
    });
  });

  describe(`the watches of ${name}`, () => {
    test('a watch gets the past first, then each write before it resolves', async () => {
      const { store, lease } = await opened();
      await store.write(lease, [], [event('a'), event('b')]);
      await store.write(lease, [], []);
      const records: ChangeRecord[] = [];
      const { first } = await store.watch('main', 0, (record) => records.push(record));
      expect(first).toBe(1);
      expect(records).toEqual([
        { seq: 1, changes: [event('a'), event('b')] },
        { seq: 2, changes: [] },
      ]);
      const seen = store.write(lease, [], [event('c')]).then(() => records.length);
      expect(await seen).toBe(3);
      expect(recordTexts(records)).toEqual(['1: a b', '2: ', '3: c']);
      await store.close();
    });

    test('a watch gets only changes after the given number, even if that is in the future', async () => {
      const { store, lease } = await opened();
      const late: ChangeRecord[] = [];
      const future: ChangeRecord[] = [];
      for (const check of ['a', 'b', 'c']) await store.write(lease, [], [event(check)]);
      await store.watch('main', 2, (record) => late.push(record));
      await store.watch('main', 4, (record) => future.push(record));
      for (const check of ['d', 'e']) await store.write(lease, [], [event(check)]);
      expect(recordTexts(late)).toEqual(['3: c', '4: d', '5: e']);
      expect(recordTexts(future)).toEqual(['5: e']);
      await store.close();
    });

    test('a watch that starts during writes gets every change once and without a gap', async () => {
      const { store, lease } = await opened();
      const writeSome = async (count: number): Promise<unknown> =>
        Promise.all(Array.from({ length: count }, async () => store.write(lease, [], [event('x')], 'process')));
      await writeSome(300);
      const before = writeSome(100);
      const watched: number[][] = [];
      const watches = Array.from({ length: 5 }, async (_, index) => {
        const seqs: number[] = [];
        watched.push(seqs);
        return store.watch('main', index * 50, ({ seq }) => seqs.push(seq));
      });
      await Promise.all([before, writeSome(100), ...watches]);
      await writeSome(1);
      for (const [index, seqs] of watched.entries()) {
        expect(seqs).toEqual(Array.from({ length: 501 - index * 50 }, (_, at) => index * 50 + at + 1));
      }
      await store.close();
    });

    test('a watch gets only the changes of its own shard, until it is closed', async () => {
      const { store, lease } = await opened();
      const other = await store.acquire('other', 30_000);
      const records: ChangeRecord[] = [];
      const watch = await store.watch('main', 0, (record) => records.push(record));
      await store.write(other, [], [event('other')]);
      await store.write(lease, [], [event('a')]);
      watch.close();
      await store.write(lease, [], [event('b')]);
      expect(recordTexts(records)).toEqual(['1: a']);
      await store.close();
    });

    test('a watch of a shard that does not exist yet gets its changes later', async () => {
      const { store } = await opened();
      const records: ChangeRecord[] = [];
      const { first } = await store.watch('later', 0, (record) => records.push(record));
      await store.write(await store.acquire('later', 30_000), [], [event('a')]);
      expect(first).toBe(1);
      expect(recordTexts(records)).toEqual(['1: a']);
      await store.close();
    });

    test('a watch gets the past after the store was opened again', async () => {
      const { store, lease, reopen } = await opened();
      await store.write(
        lease,
        [],
        [
          ['silenced', 'default', null, 'disk'],
          ['client', 'default', 'web-1'],
        ],
      );
      await store.write(lease, [], [event('b')]);
      const again = await reopen();
      const records: ChangeRecord[] = [];
      await again.watch('main', 0, (record) => records.push(record));
      await again.write(await again.acquire('main', 30_000), [], [event('c')]);
      expect(recordTexts(records)).toEqual(['1: disk web-1', '2: b', '3: c']);
      expect(records[0]?.changes[0]).toEqual(['silenced', 'default', null, 'disk']);
      await again.close();
    });

    test('a watch gets nothing of a rejected write', async () => {
      const { store, lease } = await opened();
      const records: ChangeRecord[] = [];
      await store.watch('main', 0, (record) => records.push(record));
      await expect(store.write(lease, [put([], '')], [event('a')])).rejects.toMatchObject({ code: 'invalid' });
      await lease.release();
      await expect(store.write(lease, [], [event('b')])).rejects.toMatchObject({ code: 'conflict' });
      expect(records).toEqual([]);
      await store.close();
    });
  });

  describe(`the end of ${name}`, () => {
    test('a closing store completes earlier writes and rejects later ones', async () => {
      const { store, lease, dir } = await opened();
      const write = store.write(lease, [put(['a'], '1')], []);
      const closed = store.close();
      const refused = { code: 'unavailable' };
      expect(await write).toBe(1);
      await expect(store.write(lease, [], [])).rejects.toMatchObject(refused);
      await closed;
      await store.close();
      await expect(store.getMany([['a']])).rejects.toMatchObject(refused);
      await expect(store.acquire('main', 30_000)).rejects.toMatchObject(refused);
      await expect(store.watch('main', 0, () => undefined)).rejects.toMatchObject(refused);
      expect(() => store.scan([])).toThrow(expect.objectContaining(refused));
      const again = await open(dir);
      expect(await again.getMany([['a']])).toEqual(['1']);
      await again.close();
    });
  });
}
