import { MonError } from '../../../shared/errors.ts';
import type { ChangeRecord } from '../ports.ts';
import { parseChangeCount } from './change-record.ts';
import { changeKey, changeRecords, epochKey, lastSeqKey } from './keys.ts';
import { readEntries } from './entries.ts';
import { Retention, type RetentionLimits } from './retention.ts';
import { decodeTuple, encodeTuple, tupleRange } from './tuple.ts';
import type { Database } from './database.ts';

/**
 * The state in memory of one shard, the unit for which a process acquires the lease to write: the epochs of the lease,
 * its retained change records, and the listeners for its writes.
 */
export interface Shard {
  readonly name: string;
  /** Epoch of the newest lease, a number that increases with each acquisition; 0 before the first lease. */
  epoch: number;
  /** Epoch of the lease under which this process may write; undefined if no such lease is valid. */
  holder: number | undefined;
  /** The retained change records; its `last` is the sequence number of the last write to the shard. */
  retention: Retention;
  readonly watchers: Set<(record: ChangeRecord) => void>;
}

export function emptyShard(name: string, limits: RetentionLimits): Shard {
  return { name, epoch: 0, holder: undefined, retention: new Retention(limits, 0), watchers: new Set() };
}

/**
 * Reads the state of a shard when the store is opened. Change records that exceed the limits, or come before a gap in
 * the sequence numbers, are removed from the database.
 *
 * @param acceptsGap true if an operator has accepted that writes are lost
 * @throws MonError `internal` if the newest change record does not have the last sequence number, if a number is
 *   damaged, or if there is a gap in the change records that no operator has accepted
 */
export async function loadShard(
  database: Database,
  name: string,
  limits: RetentionLimits,
  acceptsGap: boolean,
): Promise<Shard> {
  const [epoch, last] = await Promise.all([
    readNumber(database, encodeTuple(epochKey(name))),
    readNumber(database, encodeTuple(lastSeqKey(name))),
  ]);
  const retention = new Retention(limits, last);
  const range = tupleRange(changeRecords(name));
  let newest: number | undefined;
  for await (const [key, value] of readEntries(database, { ...range, reverse: true })) {
    const seq = Number(key.at(-1));
    newest ??= seq;
    if (newest !== last) throw sequenceMismatchError(database, name, last, newest);
    if (seq !== retention.first - 1 && !acceptsGap) throw sequenceGapError(database, name, seq, retention.first);
    if (seq !== retention.first - 1 || !retention.prepend(parseChangeCount(value))) break;
  }
  await database.clear({ gte: range.gte, lt: encodeTuple(changeKey(name, retention.first)) });
  return { name, epoch, holder: undefined, retention, watchers: new Set() };
}

/**
 * @throws MonError `internal` unless a reopened database has the epoch and the last sequence number that are in memory
 */
export async function assertShard(database: Database, { name, epoch, retention }: Shard): Promise<void> {
  const [storedEpoch, last] = await Promise.all([
    readNumber(database, encodeTuple(epochKey(name))),
    readNumber(database, encodeTuple(lastSeqKey(name))),
  ]);
  if (storedEpoch === epoch && last === retention.last) return;
  throw new MonError(
    'internal',
    `the store in ${database.location} was changed unexpectedly: restart the backend ` +
      `(shard ${name} is at ${String(last)} in epoch ${String(storedEpoch)}, not at ${String(retention.last)} in epoch ${String(epoch)})`,
  );
}

async function readNumber(database: Database, key: string): Promise<number> {
  const text = (await database.get(key)) ?? '0';
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new MonError(
    'internal',
    `the store in ${database.location} is damaged: ${decodeTuple(key).slice(1).join(' ')} has the invalid value ${JSON.stringify(text)}; ` +
      'restore a backup',
  );
}

function sequenceGapError(database: Database, shard: string, before: number, after: number): MonError {
  return new MonError(
    'internal',
    `the store in ${database.location} is damaged: the writes ${String(before + 1)} to ${String(after - 1)} of shard ${shard} are lost; ` +
      'run mon-backend start --accept-loss to continue without these writes, or restore a backup',
  );
}

function sequenceMismatchError(database: Database, shard: string, last: number, newest: number): MonError {
  return new MonError(
    'internal',
    `the store in ${database.location} is damaged: the last sequence number of shard ${shard} is ${String(last)}, ` +
      `but its newest change record is ${String(newest)}; restore a backup`,
  );
}
