import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';

type Snapshot = NonNullable<UpgradeFacts['snapshot']>;

/** Position of the meta data in a file of the embedded key-value store, in bytes: after a page header of 16 bytes. */
const META_OFFSET = 16;
const META_MAGIC = 0xed_0c_da_ed;
const META_VERSION = 2;
/** Sector size in bytes. The size of a database file is a multiple of it. */
const SECTOR_BYTES = 512;
/** Size in bytes of the SHA-256 digest of the content, which the snapshot command appends to the file. */
const DIGEST_BYTES = 32;

/**
 * Checks whether a file is a complete and unchanged snapshot of the embedded key-value store of a cluster. If not,
 * `problem` is the reason.
 */
export async function readSnapshot(file: string): Promise<Snapshot> {
  try {
    const { mtimeMs, size } = await stat(file);
    return { file, taken_at: Math.floor(mtimeMs / 1000), problem: await problemOf(file, size) };
  } catch (error) {
    return { file, taken_at: 0, problem: errorMessage(error) };
  }
}

async function problemOf(file: string, size: number): Promise<string | null> {
  await using handle = await open(file);
  const head = Buffer.alloc(META_OFFSET + 8);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  const isMeta = bytesRead === head.length && head.readUInt32LE(META_OFFSET) === META_MAGIC;
  if (!isMeta || head.readUInt32LE(META_OFFSET + 4) !== META_VERSION)
    return 'it is not a snapshot of a key-value store';
  // A copy of the database file has no digest, so only its start can be verified.
  if (size % SECTOR_BYTES === 0) return null;
  if (size % SECTOR_BYTES !== DIGEST_BYTES) return 'it is truncated';
  const [stated, computed] = await Promise.all([readDigest(handle, size), digestOf(file, size - DIGEST_BYTES)]);
  return stated.equals(computed) ? null : 'it is damaged: its checksum does not match';
}

async function readDigest(handle: FileHandle, size: number): Promise<Buffer> {
  const digest = Buffer.alloc(DIGEST_BYTES);
  await handle.read(digest, 0, DIGEST_BYTES, size - DIGEST_BYTES);
  return digest;
}

async function digestOf(file: string, length: number): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { end: length - 1 })) hash.update(chunk as Buffer);
  return hash.digest();
}
