import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { printLine } from './print-line.ts';

/**
 * A program that writes to the store whose directory is its argument. It uses up all file descriptors until a write is
 * rejected, releases them, and writes until a write succeeds again. It prints `acknowledged` or `refused` and the
 * number of each write, and finally `read` with each number that the store contains.
 */
const [dir = ''] = process.argv.slice(2);
const store = await openLevelStore(dir, { writeBufferBytes: 64 * 1024 });
const lease = await store.acquire('main', 30_000);
let count = 0;

async function write(): Promise<boolean> {
  const value = String(++count);
  const isDone = await store
    .write(lease, [{ type: 'put', key: ['write', count], value: value.padEnd(5000, '.') }], [])
    .then(
      () => true,
      () => false,
    );
  printLine(`${isDone ? 'acknowledged' : 'refused'} ${value}`);
  return isDone;
}

await write();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // The limit of open file descriptors is reached.
}
// After some writes the store needs a new log file, which it cannot open.
while (await write());
// Reads still work, because they need no new file descriptor.
await store.getMany([['write', 1]]);
for (const fd of taken) closeSync(fd);
while (!(await write())) await delay(10);
for await (const [[, number]] of store.scan(['write'])) printLine(`read ${String(number)}`);
await store.close();
