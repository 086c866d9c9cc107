import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { printLine } from './print-line.ts';

/**
 * A program that writes to a store until it is killed. Its arguments are the directory, the number of concurrent
 * writes, and the number of rejected writes after which it stops. Each write adds a key `['write', count]` and sets
 * `['left']` and `['right']` to the same value. When a write is acknowledged, its sequence number and value are
 * printed; when it is rejected, `refused` and its value.
 */
const [dir = '', inFlight = '1', refusedMost = 'Infinity'] = process.argv.slice(2);

// The system sends this signal when a write exceeds the maximum file size. It must not end the process, so that only
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
      printLine(`${String(seq)} ${value}`);
    } catch {
      refused++;
      printLine(`refused ${value}`);
    }
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, writeOn));
await store.close();
