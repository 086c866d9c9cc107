import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskSpace } from '../../../../daemon/backend/store/disk-space.ts';
import { RESERVE_FILES, storeBytes } from '../../../../daemon/backend/store/store-size.ts';
import { modeOf } from '../../../support/file-modes.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const BYTES = 2_500_000;

test('the disk reserve occupies real disk space, does not count as store, and is free after its release', async () => {
  const dir = await tempDir();
  const disk = new DiskSpace(dir);
  expect(await disk.reservedBytes()).toBe(0);
  await disk.reserve(BYTES);
  const { size, blocks } = await stat(join(dir, RESERVE_FILES.running));
  expect([size, await disk.reservedBytes(), await storeBytes(dir)]).toEqual([BYTES, BYTES, 0]);
  // The reserve must occupy blocks on the disk, unlike a sparse file.
  expect(blocks * 512).toBeGreaterThanOrEqual(BYTES);
  expect(await modeOf(join(dir, RESERVE_FILES.running))).toBe('600');
  // A file system with compression must not shrink the reserve, so its bytes are random.
  const bytes = await readFile(join(dir, RESERVE_FILES.running));
  expect(new Set(bytes.subarray(0, 4096)).size).toBeGreaterThan(200);
  await disk.releaseReserve();
  expect(await disk.reservedBytes()).toBe(0);
  await disk.releaseReserve();
});

test('a disk reserve that cannot be written leaves no file behind', async () => {
  const dir = join(await tempDir(), 'missing');
  const disk = new DiskSpace(dir);
  await expect(disk.reserve(BYTES)).rejects.toThrow('ENOENT');
  expect(await disk.freeBytes()).toBeUndefined();
});

test('the free space is read from the file system', async () => {
  expect(await new DiskSpace(await tempDir()).freeBytes()).toBeGreaterThan(0);
});

test('the disk reserve is neither allocated nor released in a directory that replaced the state directory', async () => {
  const dir = join(await tempDir(), 'store');
  await mkdir(dir);
  await writeFile(join(dir, 'LOCK'), '');
  const disk = new DiskSpace(dir);
  await disk.freeBytes();
  await disk.reserve(1000);
  await rename(dir, `${dir}-away`);
  await mkdir(dir);
  await writeFile(join(dir, 'LOCK'), '');
  await writeFile(join(dir, 'reserve'), 'mine');
  await expect(disk.reserve(1000)).rejects.toThrow('deleted or replaced');
  await expect(disk.releaseReserve()).rejects.toThrow('deleted or replaced');
  expect(await disk.reservedBytes()).toBe(4);
});
