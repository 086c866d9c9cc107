import { randomUUID } from 'node:crypto';
import type { QueryConfig } from 'pg';
import type { Change, StoreOp } from '../../ports.ts';
import { serializeChanges } from '../change-record.ts';
import { encodeNamed } from '../scan-range.ts';
import type { Shard } from '../shard.ts';
import { byteaArray } from './bytea-array.ts';
import { WRITE } from './statements.ts';

/**
 * One write, as the statement that performs it. The statement is repeatable, so that the write can be looked up and
 * retried.
 */
export interface Batch {
  readonly id: string;
  readonly changes: readonly Change[];
  /** @param epoch of the lease under which the batch is written */
  statement(epoch: number): QueryConfig;
}

/** The writer, and how long its lease is valid after a write, in milliseconds. */
interface Holder {
  readonly id: string;
  readonly ttlMs: number;
}

/** @throws MonError `invalid` for a key that is not allowed */
export function batchOf(
  shard: Shard,
  { id: holder, ttlMs }: Holder,
  ops: readonly StoreOp[],
  changes: readonly Change[],
): Batch {
  const id = randomUUID();
  // The last operation on a key wins, because a statement may touch each row only once.
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

/** @returns undefined: the key is deleted */
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
