import { spawn } from 'node:child_process';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { ChangeRecord, Store } from '../../../../daemon/backend/ports.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { builtProgram } from '../../../support/built-programs.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const WRITER = builtProgram('store-writer');

/** The output of the writer: number and value of each acknowledged write, values of the rejected ones. */
interface WriterOutput {
  readonly acknowledged: Map<number, string>;
  readonly refused: string[];
}

/** Runs the writer until it ends, or kills it after a number of lines, and returns its parsed output. */
async function runWriter(command: string[], killAfter = Infinity): Promise<WriterOutput> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output: WriterOutput = { acknowledged: new Map(), refused: [] };
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [seq = '', value = ''] = line.split(' ');
    if (seq === 'refused') output.refused.push(value);
    else output.acknowledged.set(Number(seq), value);
    if (++lines === killAfter) child.kill('SIGKILL');
  }
  return output;
}

/** Returns the value of each write by sequence number, from the change records. */
async function recorded(store: Store): Promise<Map<number, string>> {
  const records: ChangeRecord[] = [];
  const watch = await store.watch('main', 0, (record) => records.push(record));
  watch.close();
  return new Map(records.map(({ seq, changes }) => [seq, String(changes[0]?.[3])]));
}

/** Checks that no write is partial: the values belong to the newest write, and the sequence numbers have no gap. */
async function expectWhole(store: Store, writes: Map<number, string>): Promise<void> {
  const seqs = [...writes.keys()];
  expect(seqs).toEqual(Array.from({ length: store.lastSeq('main') }, (_, index) => index + 1));
  const newest = writes.get(store.lastSeq('main'));
  expect(await store.getMany([['left'], ['right']])).toEqual([newest, newest]);
}

test.each([
  { killAfter: 1, inFlight: 1 },
  { killAfter: 60, inFlight: 1 },
  { killAfter: 300, inFlight: 16 },
  { killAfter: 1500, inFlight: 64 },
])('a store killed after $killAfter writes, $inFlight at a time, contains every acknowledged write', async (given) => {
  const dir = await tempDir();
  const { acknowledged } = await runWriter([process.execPath, WRITER, dir, String(given.inFlight)], given.killAfter);
  expect(acknowledged.size).toBeGreaterThanOrEqual(given.killAfter);
  const store = await openLevelStore(dir);
  const writes = await recorded(store);
  expect(writes).toEqual(new Map([...writes, ...acknowledged]));
  await expectWhole(store, writes);
  const values = await store.getMany([...writes.values()].map((value) => ['write', Number(value)]));
  expect(values).not.toContain(undefined);
  await store.close();
});

test('writes that a full disk rejects leave no trace, and every acknowledged write is stored', async () => {
  const dir = await tempDir();
  // No file may exceed 160 blocks, which are 80 or 160 KiB depending on the shell; the log reaches that repeatedly.
  const { acknowledged, refused } = await runWriter([
    'sh',
    '-c',
    'ulimit -S -f 160; exec "$0" "$@"',
    process.execPath,
    WRITER,
    dir,
    '8',
    '30',
  ]);
  expect(refused.length).toBeGreaterThanOrEqual(30);
  expect(acknowledged.size).toBeGreaterThan(100);
  const store = await openLevelStore(dir);
  expect(await recorded(store)).toEqual(acknowledged);
  await expectWhole(store, acknowledged);
  const traces = await store.getMany(refused.map((value) => ['write', Number(value)]));
  expect(traces).toEqual(refused.map(() => undefined));
  await store.close();
});

test('a store whose log is truncated contains every write up to the last complete one', async () => {
  const dir = await tempDir();
  const store = await openLevelStore(dir);
  const lease = await store.acquire('main', 30_000);
  for (let count = 1; count <= 10; count++) {
    const value = String(count);
    await store.write(
      lease,
      [
        { type: 'put', key: ['left'], value },
        { type: 'put', key: ['right'], value },
      ],
      [['event', 'default', 'web-1', value]],
    );
  }
  await store.close();
  const log = (await readdir(dir)).find((file) => file.endsWith('.log')) ?? '';
  await truncate(join(dir, log), (await stat(join(dir, log))).size - 5);
  // An orderly close records the length of the log, so the truncation is noticed.
  await expect(openLevelStore(dir)).rejects.toThrow(/when the backend stopped: the newest writes are missing/);
  await rm(join(dir, 'closed.json'));
  const again = await openLevelStore(dir);
  expect(again.lastSeq('main')).toBe(9);
  await expectWhole(again, await recorded(again));
  await again.close();
});
