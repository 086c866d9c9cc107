import { createInterface } from 'node:readline';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';

/**
 * A program that opens and closes a store for each line of input, and prints `opened` or `refused`. Its argument is the
 * directory of the store.
 */
const [dir = ''] = process.argv.slice(2);

for await (const _ of createInterface({ input: process.stdin })) {
  const outcome = await openLevelStore(dir).then(
    (store) => store.close().then(() => 'opened'),
    () => 'refused',
  );
  process.stdout.write(`${outcome}\n`);
}
