import { MonError } from '../../../../shared/errors.ts';
import { ByteReader } from './byte-reader.ts';
import { crc32c, maskChecksum } from './crc32c.ts';
import { uncompressSnappy } from './snappy.ts';

/** Size in bytes of the footer of a LevelDB table file (doc/table_format.md of LevelDB). */
const FOOTER_BYTES = 48;
const MAGIC_NUMBER = 0xdb_47_75_24_8b_80_fb_57n;
const MAGIC_BYTES = 8;
/** Size of the trailer after each block: compression type (1 byte) and checksum (4 bytes). */
const TRAILER_BYTES = 5;
const UNCOMPRESSED_TYPE = 0;
const SNAPPY_TYPE = 1;

interface BlockHandle {
  readonly at: number;
  readonly bytes: number;
}

/** A data block of a table, with its position and the bounds of its keys. */
export interface TableBlock extends BlockHandle {
  /** Lower bound of the internal keys in the block; undefined for the first block of the table. */
  readonly after: Buffer | undefined;
  /** Upper bound of the internal keys in the block, included. */
  readonly upTo: Buffer;
}

/** An entry of a table. The internal key is the key, followed by the sequence number and the kind of the entry. */
export type SortedTableEntry = readonly [internalKey: Buffer, value: Buffer];

/**
 * Returns the data blocks of a table, as the index of the table lists them.
 *
 * @param table the whole file, a few MiB. Reading its many small blocks one by one would take ten times as long.
 * @throws MonError `internal` if the footer or the index is damaged, so that no block can be found
 */
export function tableBlocks(table: Buffer): readonly TableBlock[] {
  if (table.length < FOOTER_BYTES) throw new MonError('internal', 'the table file is too short');
  const footer = table.subarray(table.length - FOOTER_BYTES);
  if (footer.readBigUInt64LE(FOOTER_BYTES - MAGIC_BYTES) !== MAGIC_NUMBER)
    throw new MonError('internal', 'the end of the table file is damaged');
  const reader = new ByteReader(footer);
  // The index of the filters comes first. It is verified too, although these tables have no filters.
  readBlock(table, readBlockHandle(reader));
  const blocks: TableBlock[] = [];
  let after: Buffer | undefined;
  for (const [key, value] of entriesOfBlock(readBlock(table, readBlockHandle(reader)))) {
    blocks.push({ ...readBlockHandle(new ByteReader(value)), after, upTo: key });
    after = key;
  }
  return blocks;
}

/** True if the block of a table has the correct checksum. */
export function isIntactBlock(table: Buffer, block: TableBlock): boolean {
  try {
    readChecked(table, block);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the entries of a block in order.
 *
 * @throws MonError `internal` if the block is damaged
 */
export function blockEntries(table: Buffer, block: TableBlock): readonly SortedTableEntry[] {
  return entriesOfBlock(readBlock(table, block));
}

function readBlockHandle(reader: ByteReader): BlockHandle {
  return { at: reader.varint(), bytes: reader.varint() };
}

function readBlock(table: Buffer, handle: BlockHandle): Buffer {
  const { content, compression } = readChecked(table, handle);
  if (compression === UNCOMPRESSED_TYPE) return content;
  if (compression === SNAPPY_TYPE) return uncompressSnappy(content);
  throw new MonError('internal', `a data block has the unknown compression type ${String(compression)}`);
}

function readChecked(
  table: Buffer,
  { at, bytes }: BlockHandle,
): { readonly content: Buffer; readonly compression: number } {
  const covered = new ByteReader(table, at).take(bytes + 1);
  const end = at + bytes + TRAILER_BYTES;
  if (end > table.length || maskChecksum(crc32c(covered)) !== table.readUInt32LE(end - 4)) {
    throw new MonError('internal', `the block at byte ${String(at)} has a wrong checksum`);
  }
  return { content: covered.subarray(0, bytes), compression: covered[bytes] ?? UNCOMPRESSED_TYPE };
}

/** Decodes the entries of a block. Each key is stored without the prefix that it shares with the previous key. */
function entriesOfBlock(block: Buffer): SortedTableEntry[] {
  if (block.length < 4) throw new MonError('internal', 'a data block is too short');
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  if (end < 0) throw new MonError('internal', 'a data block is too short');
  const reader = new ByteReader(block.subarray(0, end));
  const entries: SortedTableEntry[] = [];
  let key: Buffer = Buffer.alloc(0);
  while (!reader.isAtEnd) {
    const [shared, unshared, length] = [reader.varint(), reader.varint(), reader.varint()];
    if (shared > key.length)
      throw new MonError(
        'internal',
        'a data block is damaged: a key shares more bytes with the previous key than that key has',
      );
    key = Buffer.concat([key.subarray(0, shared), reader.take(unshared)]);
    entries.push([key, reader.take(length)]);
  }
  return entries;
}
