import { randomUUID } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Change, StoreOp } from '../../ports.ts';
import { serializeChanges } from '../change-record.ts';
import { encodeNamed } from '../scan-range.ts';
import type { Shard } from '../shard.ts';
import { byteaArray } from './bytea-array.ts';
import { WRITE_BATCH } from './statements.ts';

/**
 * A group of operations that one SQL statement writes. If the response is lost, `id` shows whether the database stored
 * the batch; if it did not, the statement is sent again.
 */
export interface Batch {
  readonly id: string;
  readonly changes: readonly Change[];
  /**
   * @param epoch the epoch (acquisition number) of the lease in the database; it is higher when the batch is sent again
   */
  statement(epoch: number): QueryConfig;
}

/** The member that writes, and the time in milliseconds for which a write extends its lease. */
interface LeaseHolder {
  readonly id: string;
  readonly ttlMs: number;
}

/** @throws MonError `invalid` if a key cannot be stored, for example because it does not begin with a string */
export function batchOf(
  shard: Shard,
  { id: holder, ttlMs }: LeaseHolder,
  ops: readonly StoreOp[],
  changes: readonly Change[],
): Batch {
  const id = randomUUID();
  // Only the last operation on each key is written, because a PostgreSQL statement can change a row only once.
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
      text: WRITE_BATCH,
      values: [shard.name, holder, epoch, ttlMs, ...rows, ...record],
    }),
  };
}

/** Returns the value that an operation stores; undefined if the operation deletes its key. */
function valueOf(op: StoreOp): string | undefined {
  switch (op.type) {
    case 'put':
      return op.value;
    case 'amendable':
      return op.parts.join('');
    case 'amend':
      throw new Error('a PostgreSQL store cannot amend records');
    case 'del':
      return undefined;
  }
}
