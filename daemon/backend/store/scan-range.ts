import { MonError } from '../../../shared/errors.ts';
import type { Key } from '../ports.ts';
import { INTERNAL_PREFIX } from './keys.ts';
import { encodeTuple, tupleRange } from './tuple.ts';

/** A range of encoded keys that a scan reads in order. */
export interface ScanRange {
  readonly gte?: string;
  readonly gt?: string;
  readonly lt: string;
  /** Maximum number of entries; default: no limit. */
  readonly limit?: number;
}

/** The range of all keys except those of the internal records of the store. */
const ALL_KEYS = { gte: tupleRange([INTERNAL_PREFIX]).lt, lt: tupleRange([]).lt };

/**
 * Returns the range of keys that a scan below `prefix` reads.
 *
 * @throws MonError `invalid` if the limit is not a whole number, if `after` does not start with `prefix`, or for an
 *   invalid key
 */
export function scanRange(prefix: Key, { after, limit }: { readonly after?: Key; readonly limit?: number }): ScanRange {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) {
    throw new MonError('invalid', `the limit of a scan must be a whole number, not ${String(limit)}`);
  }
  const { gte, lt } = prefix.length === 0 ? ALL_KEYS : tupleRange(assertNamed(prefix));
  const limited = limit === undefined ? {} : { limit };
  if (after === undefined) return { gte, lt, ...limited };
  if (prefix.some((part, index) => part !== after[index])) {
    throw new MonError('invalid', 'the start key and the prefix of a scan do not match');
  }
  return { gt: encodeNamed(after), lt, ...limited };
}

/**
 * Encodes a key that is not internal to the store.
 *
 * @throws MonError `invalid` unless the key begins with a string: keys that begin with a number belong to the internal
 *   records of the store
 */
export function encodeNamed(key: Key): string {
  return encodeTuple(assertNamed(key));
}

function assertNamed(key: Key): Key {
  if (typeof key[0] === 'string') return key;
  throw new MonError('invalid', 'a store key must begin with a string');
}
