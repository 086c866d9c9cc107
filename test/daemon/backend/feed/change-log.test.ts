import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeLog, openChangeLog } from '../../../../daemon/backend/feed/change-log.ts';
import type { Change } from '../../../../daemon/backend/ports.ts';
import { CommitBoard } from '../../../../daemon/backend/model/transaction/commit-board.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { aCommit } from '../../../support/a-commit.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const change = (name: string): Change => ['client', 'default', name];
const clientChange = (name: string): Change => ['client', 'team-a', name];
const namesAfter = (log: ChangeLog, seq: number): string[] => [...log.after(seq)].map((one) => String(one[2]));

test('an empty change log reaches back to the sequence number at which it starts', () => {
  const log = new ChangeLog({ recordsMax: 10, changesMax: 100 });
  log.startAfter(7);
  expect([6, 7, 8].map((seq) => log.hasAllAfter(seq))).toEqual([false, true, false]);
  expect(namesAfter(log, 7)).toEqual([]);
});

test('the change log returns the changes after a sequence number in order', () => {
  const log = new ChangeLog({ recordsMax: 10, changesMax: 100 });
  log.add({ seq: 1, changes: [change('a'), change('b')] });
  log.add({ seq: 2, changes: [] });
  log.add({ seq: 3, changes: [change('a')] });
  expect(namesAfter(log, 0)).toEqual(['a', 'b', 'a']);
  expect(namesAfter(log, 1)).toEqual(['a']);
  expect(namesAfter(log, 3)).toEqual([]);
  expect(log.lastSeq).toBe(3);
});

test('the change log keeps its newest record, whatever its size is', () => {
  const log = new ChangeLog({ recordsMax: 10, changesMax: 1 });
  log.add({ seq: 1, changes: [change('a'), change('b'), change('c')] });
  expect(namesAfter(log, 0)).toEqual(['a', 'b', 'c']);
});

test('the change log returns the same changes as an unlimited list, as far back as it says that it reaches', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(4), { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 12 }),
      (sizes, recordsMax, changesMax) => {
        const log = new ChangeLog({ recordsMax, changesMax });
        log.startAfter(0);
        const all: string[][] = [];
        for (const [at, size] of sizes.entries()) {
          const names = Array.from({ length: size }, (_, of) => `${String(at)}.${String(of)}`);
          all.push(names);
          log.add({ seq: at + 1, changes: names.map(change) });
        }
        const reached = Array.from({ length: sizes.length + 1 }, (_, seq) => seq).filter((seq) => log.hasAllAfter(seq));
        // The sequence numbers that the log reaches have no gap and end at the newest one.
        expect(reached).toEqual(reached.map((_, at) => sizes.length - reached.length + 1 + at));
        expect(reached.length - 1).toBeLessThanOrEqual(recordsMax);
        for (const seq of reached) {
          expect(namesAfter(log, seq)).toEqual(all.slice(seq).flat());
          expect(log.countAfter(seq)).toBe(all.slice(seq).flat().length);
        }
      },
    ),
  );
});

test('the change log of an existing store reaches back as far as the records in the store', async () => {
  const dir = await tempDir();
  const before = await openLevelStore(dir);
  const lease = await before.acquire('main', 30_000);
  for (const name of ['a', 'b', 'c']) await before.write(lease, [], [change(name)]);
  await before.close();

  const store = await openLevelStore(dir);
  const commits = new CommitBoard();
  const opened = await openChangeLog(store, 'main', commits);
  const { log } = opened;
  expect(log.lastSeq).toBe(3);
  expect(namesAfter(log, 1)).toEqual(['b', 'c']);
  const changes = [change('d')];
  const seq = await store.write(await store.acquire('main', 30_000), [], changes);
  for (let times = 0; times < 2; times++) commits.announce({ ...aCommit(), seq, changes });
  expect(namesAfter(log, 3)).toEqual(['d']);
  opened[Symbol.dispose]();
  await store.close();
});

test('the changes of one namespace include changes of upgrade plans only on request', () => {
  const log = new ChangeLog({ recordsMax: 10, changesMax: 100 });
  log.add({ seq: 1, changes: [change('a'), clientChange('b'), ['upgrade', 'default', 7], change('c')] });
  log.add({ seq: 2, changes: [clientChange('d')] });
  log.add({ seq: 3, changes: [['upgrade', 'default', 8]] });
  const changesSeenIn = (only: string | undefined, seesPlans: boolean): string =>
    [...log.after(0, { only, seesPlans })].map((one) => String(one[2])).join(' ');
  expect(changesSeenIn('default', true)).toBe('a c 7 8');
  expect(changesSeenIn('default', false)).toBe('a c');
  expect(changesSeenIn('team-a', true)).toBe('b 7 d 8');
  expect(changesSeenIn('team-a', false)).toBe('b d');
  expect(changesSeenIn('team-b', false)).toBe('');
  expect(changesSeenIn(undefined, true)).toBe('a b 7 c d 8');
  expect(log.countAfter(1, { only: 'team-a', seesPlans: true })).toBe(2);
});
