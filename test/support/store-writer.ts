import { openLevelStore } from '../../daemon/backend/store/level-store.ts';

/**
 * A program that writes until it is killed: argv is the directory and the number of concurrent writes. Each
 * write adds `['log', seq]` and moves `['left']` and `['right']`; its number is printed once it is
 * acknowledged. When the disk rejects a write, it prints `refused` and continues; after `refusedMost`
 * rejections it stops.
 */
const [dir = '', inFlight = '1', refusedMost = 'Infinity'] = process.argv.slice(2);

// If a write exceeds the limit of the file size, the system sends this signal. The process must survive, so that only
// the write fails.
process.on('SIGXFSZ', () => undefined);

const store = await openLevelStore(dir, { writeBufferBytes: 256 * 1024 });
const lease = await store.acquire('main', 30_000);
let refused = 0;
let count = 0;

async function writeOn(): Promise<void> {
  while (refused < Number(refusedMost)) {
    const value = String(++count);
    try {
      const seq = await store.write(
        lease,
        [
          { type: 'put', key: ['write', count], value: 'x'.repeat(1000) },
          { type: 'put', key: ['left'], value },
          { type: 'put', key: ['right'], value },
        ],
        [['event', 'default', 'web-1', value]],
      );
      process.stdout.write(`${String(seq)} ${value}\n`);
    } catch {
      refused++;
      process.stdout.write(`refused ${value}\n`);
    }
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, writeOn));
await store.close();
