/** @module-tag slow */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { DiskSpace } from '../../daemon/backend/store/disk-space.ts';
import { openingReserveBytes, diskReserveBytes } from '../../shared/domain/disk-space.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';

const ROUNDS = 1;
const MIB = 1024 * 1024;
const DISK_MIB = 320;
const FLOOR = 128 * MIB;

const run = promisify(execFile);
/** Only root can mount a small disk, so other users skip the test unless they request a soak run. */
const isAskedFor = process.env['SOAK_ROUNDS'] !== undefined;
const isRoot = process.getuid?.() === 0;

test.skipIf(!isAskedFor && !isRoot)(
  'reads, clears, resolves and deletes work on a full disk despite kills, and writes resume when there is space',
  async () => {
    for (let round = 0; round < rounds(ROUNDS); round++) expect(await fillOne()).toBe(0);
  },
  roundsTimeoutMs(ROUNDS, 60_000),
);

/**
 * Runs a backend on a disk that gets full, kills it several times, and frees space.
 *
 * @returns the exit code of the backend at the end
 */
async function fillOne(): Promise<number | null> {
  const dir = await smallDisk();
  const stateDir = join(dir, 'state');
  const config = join(await tempDir(), 'backend.json');
  await writeFile(config, JSON.stringify({ 'disk-floor': FLOOR }));
  await mkdir(stateDir, { mode: 0o700 });
  // Create the reserve files in advance, as if an earlier run had left them.
  await new DiskSpace(stateDir).reserve(diskReserveBytes(FLOOR));
  await new DiskSpace(stateDir).reserve(openingReserveBytes(FLOOR), 'opening');

  const start = (): Promise<DaemonProcess> => startDaemon({ stateDir, args: ['-c', config] });
  let daemon = await start();
  const ask = async (method: string, path: string, body?: unknown): Promise<number> =>
    (await fetch(daemon.url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).status;
  const level = async (): Promise<string> => {
    const health = await fetch(`${daemon.url}/health?deep=1`);
    return ((await health.json()) as { disk: { level: string } }).disk.level;
  };

  for (const subscription of ['a', 'b']) expect(await ask('POST', '/silenced', { subscription })).toBe(201);
  let accepted = 0;
  let status = 202;
  while (status === 202) {
    // Random output cannot be compressed, so that each result takes its full size on disk.
    const output = randomBytes(600 * 1024).toString('base64');
    status = await ask('POST', '/results', { source: `c-${String(accepted)}`, name: 'disk', output, status: 2 });
    if (status === 202) accepted++;
  }
  expect(status).toBe(503);
  expect(accepted).toBeGreaterThan(10);
  await expect.poll(() => ask('GET', `/events/${hostname().replaceAll(/[^\w.-]/g, '-')}/mon.disk`)).toBe(200);

  // Fill the remaining space, as another program might do.
  const junk = join(dir, 'junk');
  await fill(dir, junk);
  await expect.poll(level).toBe('reserve');
  // A request that is rejected while the backend releases its reserve succeeds on retry, as its response says.
  await expect.poll(() => ask('POST', '/silenced/clear', { subscription: 'a' })).toBe(204);
  await expect.poll(() => ask('POST', '/resolve', { client: 'c-1', check: 'disk' })).toBe(202);
  await daemon.end('SIGKILL');

  daemon = await start();
  expect(await ask('GET', '/silenced/ids/a:*')).toBe(404);
  expect(await ask('GET', '/events/c-1/disk')).toBe(404);
  await expect.poll(() => ask('POST', '/silenced/clear', { subscription: 'b' })).toBe(204);
  await expect.poll(() => ask('DELETE', '/clients/c-2')).toBe(202);
  expect(await ask('POST', '/results', { name: 'late', output: 'o' })).toBe(503);
  const others = Array.from({ length: accepted }, (_, number) => number).filter((number) => number !== 2);
  for (const number of others) expect(await ask('GET', `/results/c-${String(number)}/disk`)).toBe(200);

  // The reserve is used up. Fill the space that is still free, as another program might do.
  const more = join(dir, 'more');
  await fill(dir, more);
  await daemon.end('SIGKILL');
  daemon = await start();
  for (const number of others) expect(await ask('GET', `/results/c-${String(number)}/disk`)).toBe(200);
  await rm(more);

  await rm(junk);
  for (let number = 3; number < accepted; number++) await ask('DELETE', `/clients/c-${String(number)}`);
  await expect.poll(level).toMatch(/^(?:low|ok)$/);
  // The store is still compacting the deleted results, which takes space for a moment: the level can fall again.
  await expect.poll(() => ask('POST', '/results', { name: 'late', output: 'o' })).toBe(202);
  const { code } = await daemon.end('SIGTERM');
  return code;
}

async function smallDisk(): Promise<string> {
  const dir = await tempDir();
  await run('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MIB)}m,mode=0700`, 'tmpfs', dir]);
  onTestFinished(async () => void (await run('umount', ['-l', dir])));
  return dir;
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** Fills the file with as much data as was free at the start, so that space that is freed meanwhile stays free. */
async function fill(dir: string, file: string): Promise<void> {
  const chunk = Buffer.alloc(MIB);
  try {
    for (let left = await freeBytes(dir); left > 0; left -= MIB) await writeFile(file, chunk, { flag: 'a' });
  } catch {
    // The remaining space is smaller than a chunk.
  }
}
