import { expect, test } from 'vitest';
import { TtlIndex } from '../../../../../daemon/backend/model/results/ttl-index.ts';

interface Watched {
  readonly executed: number;
  ttl: number;
  ttlRepeat: number;
  ttlAt: number;
}

/** Adds `count` entries to the index, each of which becomes stale ten seconds after its execution. */
function followed(index: TtlIndex<Watched>, count: number): Watched[] {
  return Array.from({ length: count }, (_, executed) => {
    const entry = { executed, ttl: 10, ttlRepeat: 0, ttlAt: 0 };
    index.watch(entry, 30);
    return entry;
  });
}

function end(index: TtlIndex<Watched>, entries: readonly Watched[]): void {
  for (const entry of entries) {
    entry.ttl = 0;
    index.recordUnused();
  }
}

test('the TTL index drops most entries of deleted results, even if the index is never read', () => {
  const index = new TtlIndex<Watched>();
  let kept = followed(index, 5000);
  for (let round = 0; round < 5; round++) {
    const gone = kept.slice(0, 3000);
    end(index, gone);
    expect(gone.filter(({ ttlRepeat }) => ttlRepeat > 0).length).toBeLessThan(2600);
    kept = [...kept.slice(3000), ...followed(index, 3000)];
  }
});

test('the TTL index returns an entry when it is due, and an entry with a new TTL again', () => {
  const [index, undisturbed] = [new TtlIndex<Watched>(), new TtlIndex<Watched>()];
  const [entries, others] = [followed(index, 4000), followed(undisturbed, 4000)];
  expect([...index.due(500)]).toEqual([...undisturbed.due(500)]);
  end(index, entries.slice(1000));
  for (const entry of others.slice(1000)) entry.ttl = 0;
  const [back] = entries.slice(1000);
  if (back === undefined) throw new Error('there are as many');
  back.ttl = 10;
  index.watch(back, 30);
  for (let now = 501; now < 600; now++) expect([...index.due(now)]).toEqual([...undisturbed.due(now)]);
  expect([...index.due(5000)]).toContain(back);
});

test('a result whose TTL was shortened is due once at the new time', () => {
  const index = new TtlIndex<Watched>();
  const entry = { executed: 0, ttl: 50, ttlRepeat: 0, ttlAt: 0 };
  const [first] = [...index.due(0)];
  expect(first).toBeUndefined();
  for (const ttl of [50, 10, 50, 10]) {
    entry.ttl = ttl;
    index.watch(entry, 30);
  }
  const dueAt = Array.from({ length: 120 }, (_, second) => second).filter((now) => [...index.due(now)].length > 0);
  expect(dueAt).toEqual([10, 40, 70, 100]);
});

test('a TTL that changes often leaves few entries in the TTL index', () => {
  const index = new TtlIndex<Watched>();
  const entry = { executed: 0, ttl: 0, ttlRepeat: 0, ttlAt: 0 };
  let looked = 0;
  const counted = new Proxy(entry, {
    get(target, name, receiver): unknown {
      if (name === 'ttlAt') looked++;
      return Reflect.get(target, name, receiver);
    },
  });
  for (let now = 0; now < 20_000; now++) {
    for (const ttl of [86_400, 5]) {
      Object.assign(entry, { executed: now, ttl });
      index.watch(counted, 30);
    }
    for (const due of index.due(now)) throw new Error(`${String(due.ttl)} is not over`);
  }
  looked = 0;
  expect([...index.due(200_000)]).toEqual([entry]);
  expect(looked).toBeLessThan(2000);
});
