import { createInterface } from 'node:readline';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';

/** A program that opens the store in argv and closes it again for each line that it reads, and says how that went. */
const [dir = ''] = process.argv.slice(2);

for await (const _ of createInterface({ input: process.stdin })) {
  const said = await openLevelStore(dir).then(
    (store) => store.close().then(() => 'opened'),
    () => 'refused',
  );
  process.stdout.write(`${said}\n`);
}
