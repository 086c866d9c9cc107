import { MonError } from '../../../../shared/errors.ts';
import { ByteReader } from './byte-reader.ts';
import { crc32c, masked } from './crc32c.ts';
import { uncompressSnappy } from './snappy.ts';

/** LevelDB's tables (doc/table_format.md of LevelDB). */
const FOOTER_BYTES = 48;
const MAGIC = 0xdb_47_75_24_8b_80_fb_57n;
const MAGIC_BYTES = 8;
/** Kind of compression (1) and checksum (4), after each block. */
const TRAILER_BYTES = 5;
const PLAIN = 0;
const SNAPPY = 1;

interface BlockHandle {
  readonly at: number;
  readonly bytes: number;
}

/** A block of a table: where it is, and the bounds of its keys. */
export interface TableBlock extends BlockHandle {
  /** No key of it is smaller; undefined: it is the first. */
  readonly after: Buffer | undefined;
  /** No key of it is larger. */
  readonly upTo: Buffer;
}

/** A key with its sequence number and kind behind it, and a value. */
export type TableEntry = readonly [internalKey: Buffer, value: Buffer];

/**
 * The blocks of a table that hold its entries, by its index. A table is in memory as a whole: it is a few MiB long, and to
 * read its many small blocks one by one takes ten times as long.
 *
 * @throws MonError `internal` when the index is damaged, so that nothing in the table can be found
 */
export function tableBlocks(table: Buffer): readonly TableBlock[] {
  if (table.length < FOOTER_BYTES) throw new MonError('internal', 'it is too short');
  const footer = table.subarray(table.length - FOOTER_BYTES);
  if (footer.readBigUInt64LE(FOOTER_BYTES - MAGIC_BYTES) !== MAGIC)
    throw new MonError('internal', 'its end is damaged');
  const reader = new ByteReader(footer);
  // Of the filters, which we do not have.
  readBlock(table, handleFrom(reader));
  const blocks: TableBlock[] = [];
  let after: Buffer | undefined;
  for (const [key, value] of entriesOfBlock(readBlock(table, handleFrom(reader)))) {
    blocks.push({ ...handleFrom(new ByteReader(value)), after, upTo: key });
    after = key;
  }
  return blocks;
}

/** Whether a block is what was written. */
export function isIntactBlock(table: Buffer, block: TableBlock): boolean {
  try {
    readChecked(table, block);
    return true;
  } catch {
    return false;
  }
}

/** @throws MonError `internal` when it is damaged */
export function blockEntries(table: Buffer, block: TableBlock): readonly TableEntry[] {
  return entriesOfBlock(readBlock(table, block));
}

function handleFrom(reader: ByteReader): BlockHandle {
  return { at: reader.varint(), bytes: reader.varint() };
}

function readBlock(table: Buffer, handle: BlockHandle): Buffer {
  const { content, compression } = readChecked(table, handle);
  if (compression === PLAIN) return content;
  if (compression === SNAPPY) return uncompressSnappy(content);
  throw new MonError('internal', `it has the unknown compression ${String(compression)}`);
}

function readChecked(
  table: Buffer,
  { at, bytes }: BlockHandle,
): { readonly content: Buffer; readonly compression: number } {
  const covered = new ByteReader(table, at).take(bytes + 1);
  const end = at + bytes + TRAILER_BYTES;
  if (end > table.length || masked(crc32c(covered)) !== table.readUInt32LE(end - 4)) {
    throw new MonError('internal', `the block at byte ${String(at)} has another checksum`);
  }
  return { content: covered.subarray(0, bytes), compression: covered[bytes] ?? PLAIN };
}

/** Each key is written without what it shares with the one before. */
function entriesOfBlock(block: Buffer): TableEntry[] {
  if (block.length < 4) throw new MonError('internal', 'a block is too short');
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  if (end < 0) throw new MonError('internal', 'a block is too short');
  const reader = new ByteReader(block.subarray(0, end));
  const entries: TableEntry[] = [];
  let key: Buffer = Buffer.alloc(0);
  while (!reader.isAtEnd) {
    const [shared, rest, length] = [reader.varint(), reader.varint(), reader.varint()];
    if (shared > key.length)
      throw new MonError('internal', 'a key refers to a prefix that is longer than the previous key');
    key = Buffer.concat([key.subarray(0, shared), reader.take(rest)]);
    entries.push([key, reader.take(length)]);
  }
  return entries;
}
