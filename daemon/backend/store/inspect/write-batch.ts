import { MonError } from '../../../../shared/errors.ts';
import { ByteReader } from './byte-reader.ts';

/**
 * Size of the header of a batch in a write-ahead log (write_batch.cc of LevelDB): sequence number (8 bytes) and number
 * of operations (4 bytes). The operations follow it.
 */
const HEADER_BYTES = 12;
const COUNT_OFFSET = 8;
const DELETION_TYPE = 0;
const VALUE_TYPE = 1;

export interface BatchHead {
  /** Sequence number of the first operation; each later operation has the next number. */
  readonly sequence: number;
  readonly count: number;
}

/**
 * Reads the header of a batch.
 *
 * @throws MonError `internal` if the payload is too short for a batch
 */
export function batchHead(payload: Buffer): BatchHead {
  if (payload.length < HEADER_BYTES) throw new MonError('internal', 'the write batch is too short');
  return { sequence: Number(payload.readBigUInt64LE(0)), count: payload.readUInt32LE(COUNT_OFFSET) };
}

/**
 * Yields the operations of a batch in order. The value is undefined for a deletion.
 *
 * @throws MonError `internal` if an operation is unknown or truncated
 */
export function* batchOperations(payload: Buffer): Generator<readonly [key: Buffer, value: Buffer | undefined]> {
  const reader = new ByteReader(payload, HEADER_BYTES);
  while (!reader.isAtEnd) {
    const kind = reader.byte();
    if (kind !== DELETION_TYPE && kind !== VALUE_TYPE)
      throw new MonError('internal', 'the write batch contains an unknown operation');
    const key = reader.slice();
    yield [key, kind === VALUE_TYPE ? reader.slice() : undefined];
  }
}
