import { randomUUID } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Change, StoreOp } from '../../ports.ts';
import { serializeChanges } from '../change-record.ts';
import { encodeNamed } from '../scan-range.ts';
import type { Shard } from '../shard.ts';
import { byteaArray } from './bytea-array.ts';
import { WRITE } from './statements.ts';

/** One write, as the statement that makes it. Made again it is the same, so that it can be looked for and repeated. */
export interface Batch {
  readonly id: string;
  readonly changes: readonly Change[];
  /** @param epoch of the lease that it is written under */
  statement(epoch: number): QueryConfig;
}

/** Who writes, and for how long the lease is good once it did, in milliseconds. */
interface Holder {
  readonly id: string;
  readonly ttlMs: number;
}

/** @throws MonError `invalid` for a key that cannot be */
export function batchOf(
  shard: Shard,
  { id: holder, ttlMs }: Holder,
  ops: readonly StoreOp[],
  changes: readonly Change[],
): Batch {
  const id = randomUUID();
  // The last op on a key wins, and a statement may touch each row once.
  const last = new Map<string, StoreOp>();
  for (const op of ops) last.set(encodeNamed(op.key), op);
  const keys: Buffer[] = [];
  const values: Buffer[] = [];
  const gone: Buffer[] = [];
  for (const [key, op] of last) {
    const value = valueOf(op);
    if (value === undefined) gone.push(Buffer.from(key));
    else {
      keys.push(Buffer.from(key));
      values.push(Buffer.from(value));
    }
  }
  const rows = [byteaArray(keys), byteaArray(values), byteaArray(gone)];
  const record = [id, changes.length, serializeChanges(changes), shard.retention.firstAfter(changes.length)];
  return {
    id,
    changes,
    statement: (epoch) => ({
      name: 'write',
      text: WRITE,
      values: [shard.name, holder, epoch, ttlMs, ...rows, ...record],
    }),
  };
}

/** @returns undefined: it is gone */
function valueOf(op: StoreOp): string | undefined {
  switch (op.type) {
    case 'put':
      return op.value;
    case 'amendable':
      return op.parts.join('');
    case 'amend':
      throw new Error('a store in PostgreSQL supports no amendments');
    case 'del':
      return undefined;
  }
}
