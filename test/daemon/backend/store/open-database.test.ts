import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeDatabase, directoryProblem, openDatabase } from '../../../../daemon/backend/store/open-database.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const BUFFER_BYTES = 1024 * 1024;

test('a missing state directory is created with private permissions', async () => {
  const dir = join(await tempDir(), 'state', 'store');
  await closeDatabase(await openDatabase(dir, BUFFER_BYTES));
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

test('a second process on the same directory gets an error that names the first process and a remedy', async () => {
  const dir = await tempDir();
  const first = await openDatabase(dir, BUFFER_BYTES);
  await first.put('a', '1');
  const refusal = await openDatabase(dir, BUFFER_BYTES).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name: 'MonError', code: 'conflict' });
  expect(String(refusal)).toMatch(
    new RegExp(
      `the store in ${dir} is in use by process ${String(process.pid)} on ${hostname()}, started 20\\S+Z; ` +
        'stop that process first, or use another state directory',
    ),
  );
  // The process that holds the lock is not affected by the failed attempt.
  await first.put('b', '2');
  await closeDatabase(first);
  const second = await openDatabase(dir, BUFFER_BYTES);
  expect(await second.getMany(['a', 'b'])).toEqual(['1', '2']);
  await closeDatabase(second);
});

test.each(['', '{}', '{"pid":"x"}'])(
  'an invalid holder file %j only removes details from the error about a directory in use',
  async (text) => {
    const dir = await tempDir();
    const first = await openDatabase(dir, BUFFER_BYTES);
    await writeFile(join(dir, 'holder.json'), text);
    await expect(openDatabase(dir, BUFFER_BYTES)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('in use by another process'),
    });
    await closeDatabase(first);
  },
);

test('closing a store removes its holder file', async () => {
  const dir = await tempDir();
  const database = await openDatabase(dir, BUFFER_BYTES);
  expect(JSON.parse(await readFile(join(dir, 'holder.json'), 'utf8'))).toMatchObject({ pid: process.pid });
  await closeDatabase(database);
  expect(await readdir(dir)).not.toContain('holder.json');
});

test.each<{ name: string; path: (dir: string) => string }>([
  { name: 'the path is a file', path: (dir) => join(dir, 'file') },
  { name: 'a part of the path is a file', path: (dir) => join(dir, 'file', 'store') },
])('a regular file cannot be the state directory: $name', async ({ path }) => {
  const dir = await tempDir();
  await writeFile(join(dir, 'file'), 'text');
  await expect(openDatabase(path(dir), BUFFER_BYTES)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(`${path(dir)} cannot be the state directory`),
  });
  expect(await readFile(join(dir, 'file'), 'utf8')).toBe('text');
});

test.each([
  { name: 'garbage', current: 'garbage' },
  { name: 'the name of a file that is missing', current: 'MANIFEST-000999\n' },
])('a damaged store directory is reported as damaged: CURRENT contains $name', async ({ current }) => {
  const dir = await tempDir();
  await closeDatabase(await openDatabase(dir, BUFFER_BYTES));
  await writeFile(join(dir, 'CURRENT'), current);
  await expect(openDatabase(dir, BUFFER_BYTES)).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringMatching(/^the store in .* is damaged: .*mon-backend repair .*restore a backup/),
  });
});

test('any other error when the store is opened is reported with its reason', async () => {
  const dir = await tempDir();
  await mkdir(join(dir, 'LOCK'));
  await expect(openDatabase(dir, BUFFER_BYTES)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`cannot open the store in ${dir}: `),
  });
});

// The test creates the errors itself, because permissions do not apply to root, who may run the tests.
test.each([
  { name: 'creating the directory', error: Object.assign(new Error('mkdir'), { code: 'EACCES' }) },
  { name: 'writing into the directory', error: new Error('IO error: /var/lib/mon/LOCK: Permission denied') },
  { name: 'a disk that is read-only', error: Object.assign(new Error('mkdir'), { code: 'EROFS' }) },
])('a missing permission for the state directory is reported: $name', ({ error }) => {
  expect(directoryProblem('/var/lib/mon', error)).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('no permission to write to the state directory /var/lib/mon'),
    cause: error,
  });
});
