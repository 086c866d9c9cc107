import { MonError } from '../../../../shared/errors.ts';
import { ByteReader } from './byte-reader.ts';

/** Tags of the fields in a record of a manifest, called version edit (version_edit.cc of LevelDB). */
const COMPARATOR_TAG = 1;
const LOG_NUMBER = 2;
const NEXT_FILE = 3;
const LAST_SEQUENCE_TAG = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG = 9;

/** Size in bytes of the sequence number and kind of an entry, which follow its key. */
export const KEY_TRAILER_BYTES = 8;

/** A table file as LevelDB's manifest describes it. */
export interface ManifestTable {
  readonly number: number;
  readonly bytes: number;
  /** The smallest and the largest key of the table. */
  readonly smallest: string;
  readonly largest: string;
}

/** The files that make up a database, as its manifest lists them. */
export interface ManifestVersion {
  readonly tables: ReadonlyMap<number, ManifestTable>;
  /** Number of the oldest write-ahead log whose entries are not in the tables; 0 if there is no log yet. */
  readonly logNumber: number;
}

/**
 * Applies the records of a manifest in order, and returns the files that make up the database.
 *
 * @throws MonError `internal` if a record has an unknown field, or the manifest is truncated
 */
export function versionOf(edits: Iterable<Buffer>): ManifestVersion {
  const tables = new Map<number, ManifestTable>();
  let logNumber = 0;
  const seen = new Set<number>();
  for (const edit of edits) {
    const reader = new ByteReader(edit);
    while (!reader.isAtEnd) {
      const tag = reader.varint();
      seen.add(tag);
      switch (tag) {
        case COMPARATOR_TAG:
          reader.slice();
          break;
        case LOG_NUMBER:
          logNumber = reader.varint();
          break;
        case NEXT_FILE:
        case LAST_SEQUENCE_TAG:
        case PREVIOUS_LOG:
          reader.varint();
          break;
        case COMPACT_POINTER:
          reader.varint();
          reader.slice();
          break;
        case DELETED_FILE:
          reader.varint();
          tables.delete(reader.varint());
          break;
        case NEW_FILE: {
          reader.varint();
          const [number, bytes] = [reader.varint(), reader.varint()];
          tables.set(number, { number, bytes, smallest: userKey(reader.slice()), largest: userKey(reader.slice()) });
          break;
        }
        default:
          throw new MonError('internal', `the manifest contains the unknown field ${String(tag)}`);
      }
    }
  }
  // The first records of a manifest contain all these fields. Without them LevelDB does not open a database either.
  if (![LOG_NUMBER, NEXT_FILE, LAST_SEQUENCE_TAG].every((tag) => seen.has(tag))) {
    throw new MonError('internal', 'the manifest is incomplete: it ends shortly after its beginning');
  }
  return { tables, logNumber };
}

function userKey(internalKey: Buffer): string {
  return internalKey.toString('utf8', 0, Math.max(0, internalKey.length - KEY_TRAILER_BYTES));
}
