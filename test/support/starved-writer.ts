import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';

/**
 * A program that writes to the store in argv. It takes all available file descriptors until a write is
 * rejected, releases them, and writes until one succeeds again. It prints each write as `acknowledged` or
 * `refused` with its number, and finally `read` with the numbers that it reads.
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
  process.stdout.write(`${isDone ? 'acknowledged' : 'refused'} ${value}\n`);
  return isDone;
}

await write();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // The limit of file descriptors is reached.
}
// The store soon needs a new log file, which it cannot open.
while (await write());
// Reads still work, because they need no new descriptor.
await store.getMany([['write', 1]]);
for (const fd of taken) closeSync(fd);
while (!(await write())) await delay(10);
for await (const [[, number]] of store.scan(['write'])) process.stdout.write(`read ${String(number)}\n`);
await store.close();
