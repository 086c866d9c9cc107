import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store, StoreOp } from '../../../../daemon/backend/ports.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { newestEntriesOf, newestOf, type Source } from '../../../../daemon/backend/timeline/sources.ts';
import { readPage } from '../../../../daemon/backend/timeline/queries.ts';
import { reverseId, timelineOf } from '../../../../daemon/backend/model/timeline/storage.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const LAST = Number.MAX_SAFE_INTEGER;

const sourceOf = (namespace: string): Source => ({ namespace, prefix: timelineOf(namespace) });

/** Creates a store whose timelines have entries with these ids, by namespace. */
async function storeOf(ids: Readonly<Record<string, readonly number[]>>): Promise<Store> {
  const store = await openLevelStore(await tempDir());
  onTestFinished(() => store.close());
  const ops = Object.entries(ids).flatMap(([namespace, some]) =>
    some.map((id): StoreOp => ({
      type: 'put',
      key: [...timelineOf(namespace), reverseId(id)],
      value: `${namespace}${id}`,
    })),
  );
  await store.write(await store.acquire('main', 60_000), ops, []);
  return store;
}

async function idsOf(pages: AsyncIterable<readonly { readonly id: number }[]>): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of pages) {
    expect(page.length).toBeGreaterThan(0);
    for (const { id } of page) ids.push(id);
  }
  return ids;
}

const numbersBelow = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const newestFirst = (ids: readonly number[]): number[] => ids.toSorted((a, b) => b - a);

describe('the merged timelines of several namespaces', () => {
  test.each<[string, (id: number) => string]>([
    ['the namespaces alternate', (id) => `n${String(id % 3)}`],
    ['one namespace after the other', (id) => `n${String(Math.floor(id / 1200))}`],
    ['most transitions in one namespace', (id) => (id % 701 === 0 ? `n${String(id % 2)}` : 'n2')],
    ['runs of several transitions per namespace', (id) => `n${String(Math.floor(id / 130) % 3)}`],
  ])('the transitions of several namespaces are merged, the newest first: %s', async (_title, namespaceOf) => {
    const all = numbersBelow(5000);
    const store = await storeOf(Object.groupBy(all, namespaceOf) as Record<string, number[]>);
    const sources = [...new Set(all.map(namespaceOf)), 'empty'].map(sourceOf);
    expect(await idsOf(newestOf(store, sources, LAST))).toEqual(newestFirst(all));
    expect(await idsOf(newestOf(store, sources, 2501))).toEqual(newestFirst(numbersBelow(2500)));
  });

  test('namespaces without transitions yield an empty timeline', async () => {
    expect(await idsOf(newestOf(await storeOf({}), [sourceOf('empty')], LAST))).toEqual([]);
    expect(await idsOf(newestOf(await storeOf({}), [], LAST))).toEqual([]);
  });

  test('merging the timelines of many namespaces reads only a few transitions of each into memory', async () => {
    const names = numbersBelow(30).map((at) => `n${String(at)}`);
    const each = 800;
    const store = await storeOf(
      Object.fromEntries(names.map((name, at) => [name, numbersBelow(each).map((id) => id * names.length + at)])),
    );
    let read = 0;
    const counted: Pick<Store, 'scan'> = {
      async *scan(...asked) {
        for await (const entry of store.scan(...asked)) {
          read++;
          yield entry;
        }
      },
    };
    let returned = 0;
    for await (const page of newestOf(counted, names.map(sourceOf), LAST)) {
      expect(read - returned).toBeLessThanOrEqual(21_000);
      returned += page.length;
    }
    expect([read, returned]).toEqual([names.length * each, names.length * each]);
  });
});

test('the timeline of a single namespace is read to its end in pages', async () => {
  const store = await storeOf({ shop: numbersBelow(3500) });
  const ids: number[] = [];
  for await (const { id, text } of newestEntriesOf(store, sourceOf('shop'), 3001)) {
    expect(text).toBe(`shop${String(id)}`);
    ids.push(id);
  }
  expect(ids).toEqual(newestFirst(numbersBelow(3000)));
});

test('a filtered page ends after a number of transitions and names the next position', async () => {
  const store = await openLevelStore(await tempDir());
  onTestFinished(() => store.close());
  const ops = numbersBelow(1000).map((id): StoreOp => ({
    type: 'put',
    key: [...timelineOf('shop'), reverseId(id)],
    value: JSON.stringify({ kind: 'new', client: 'web-1', check: id === 1 ? 'disk' : 'load', status: 0 }),
  }));
  await store.write(await store.acquire('main', 60_000), ops, []);
  const page = (beforeId: number, examinedMax: number): ReturnType<typeof readPage> =>
    readPage(
      store,
      {
        sources: [sourceOf('shop')],
        beforeId,
        sinceMs: 0,
        limit: 10,
        filter: ({ check }) => check === 'disk',
        shown: (row) => row,
      },
      examinedMax,
    );
  expect(await page(LAST, 500)).toEqual({ transitions: [], next: 501 });
  expect(await page(501, 500)).toMatchObject({ transitions: [{ id: 1, check: 'disk' }], next: 1 });
  expect(await page(LAST, 2000)).toMatchObject({ transitions: [{ id: 1 }], next: null });
});
