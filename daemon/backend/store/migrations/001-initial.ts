import { randomUUID } from 'node:crypto';
import { STORE_ID } from '../keys.ts';
import { encodeTuple } from '../tuple.ts';
import type { Migration } from './migration.ts';

/** An empty directory becomes a store: it gets its name. */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  async migrate(database) {
    const key = encodeTuple(STORE_ID);
    if ((await database.get(key)) === undefined) await database.put(key, JSON.stringify(randomUUID()), { sync: true });
  },
};
