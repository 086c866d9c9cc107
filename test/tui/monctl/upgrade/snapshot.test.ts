import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSnapshot } from '../../../../tui/monctl/upgrade/snapshot.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/** Returns the first page of a database file of the key-value store: 4096 bytes with its metadata. */
function page(): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.writeUInt16LE(4, 8);
  bytes.writeUInt32LE(0xed_0c_da_ed, 16);
  bytes.writeUInt32LE(2, 20);
  return bytes;
}

function withDigest(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);
}

async function problemOf(bytes: Buffer): Promise<string | null> {
  const file = join(await tempDir(), 'snapshot.db');
  await writeFile(file, bytes);
  return (await readSnapshot(file)).problem;
}

test('upgrade check accepts a valid etcd snapshot with or without its digest', async () => {
  expect(await problemOf(withDigest(page()))).toBeNull();
  expect(await problemOf(page())).toBeNull();
});

test('upgrade check rejects a damaged, truncated or unrelated snapshot file with the reason', async () => {
  const damaged = withDigest(page());
  damaged.writeUInt8(1, 3000);
  expect(await problemOf(damaged)).toBe('it is damaged: its checksum does not match');
  expect(await problemOf(withDigest(page()).subarray(0, 4000))).toBe('it is truncated');
  expect(await problemOf(Buffer.from('a dump'))).toBe('it is not a snapshot of a key-value store');
  expect((await readSnapshot('/nowhere/snapshot.db')).problem).toContain('no such file');
});
