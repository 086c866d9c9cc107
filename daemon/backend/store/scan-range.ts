import { MonError } from '../../../shared/errors.ts';
import type { Key } from '../ports.ts';
import { OWN } from './keys.ts';
import { encodeTuple, tupleRange } from './tuple.ts';

/** A range of encoded keys, in order. */
export interface ScanRange {
  readonly gte?: string;
  readonly gt?: string;
  readonly lt: string;
  /** Default: no limit. */
  readonly limit?: number;
}

/** The range of every key except the store's own. */
const EVERYTHING = { gte: tupleRange([OWN]).lt, lt: tupleRange([]).lt };

/**
 * Returns the range of keys that a scan below `prefix` reads.
 *
 * @throws MonError `invalid` for an invalid limit or `after`
 */
export function scanRange(prefix: Key, { after, limit }: { readonly after?: Key; readonly limit?: number }): ScanRange {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) {
    throw new MonError('invalid', `the limit of a scan must be a whole number, not ${String(limit)}`);
  }
  const { gte, lt } = prefix.length === 0 ? EVERYTHING : tupleRange(assertNamed(prefix));
  const limited = limit === undefined ? {} : { limit };
  if (after === undefined) return { gte, lt, ...limited };
  if (prefix.some((part, index) => part !== after[index])) {
    throw new MonError('invalid', 'the start key and the prefix of a scan do not match');
  }
  return { gt: encodeNamed(after), lt, ...limited };
}

/** @throws MonError `invalid` unless the key begins with a string: keys that begin with a number are the store's own */
export function encodeNamed(key: Key): string {
  return encodeTuple(assertNamed(key));
}

function assertNamed(key: Key): Key {
  if (typeof key[0] === 'string') return key;
  throw new MonError('invalid', 'a store key must begin with a string');
}
