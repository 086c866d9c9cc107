import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  backendAddress,
  LOCAL_ACCESS_FILE,
  readLocalAccess,
  runtimeDirectory,
  runtimeFile,
} from '../../../shared/client/local-access.ts';
import { tempDir } from '../../support/temp-dir.ts';

const TOKEN = `ml_${'x'.repeat(43)}`;
const AUTHORIZATION = `Bearer ${TOKEN}`;
const URL_HERE = 'http://127.0.0.1:9';

/** Creates a runtime directory with the local-access file of a backend at `url`, and returns the path of the file. */
async function createAccessFile(url: string, token = TOKEN): Promise<string> {
  const before = process.env['XDG_RUNTIME_DIR'];
  process.env['XDG_RUNTIME_DIR'] = await tempDir();
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_RUNTIME_DIR'];
    else process.env['XDG_RUNTIME_DIR'] = before;
  });
  const file = runtimeFile(runtimeDirectory(), url);
  await mkdir(dirname(file));
  await writeFile(file, JSON.stringify({ url, token }));
  return file;
}

const addressWith = (backend: string, env: Readonly<Record<string, string>> = {}): string | undefined =>
  backendAddress(backend, { env }).headers['authorization'];

test.each([
  { backend: URL_HERE, token: AUTHORIZATION },
  { backend: `${URL_HERE}/`, token: AUTHORIZATION },
  { backend: 'http://127.0.0.1:10', token: undefined },
  { backend: 'https://127.0.0.1:9', token: undefined },
  { backend: 'http://127.0.0.2:9', token: undefined },
  { backend: 'http://127.0.0.1.example.org:9', token: undefined },
  { backend: 'http://mon.example.org:9', token: undefined },
  { backend: `${URL_HERE}/behind/a/proxy`, token: undefined },
])('the local token of 127.0.0.1:9 is sent to that backend only; $backend gets $token', async ({ backend, token }) => {
  await createAccessFile(URL_HERE);
  expect(addressWith(backend)).toBe(token);
});

test('a local access file whose content names another address than its file name is ignored', async () => {
  const file = await createAccessFile('http://192.0.2.1:9');
  expect(readLocalAccess(file)).toBeUndefined();
  await writeFile(
    runtimeFile(runtimeDirectory(), URL_HERE),
    JSON.stringify({ url: 'http://127.0.0.1:10', token: TOKEN }),
  );
  expect(addressWith(URL_HERE)).toBeUndefined();
});

test('localhost is replaced by the address of the local backend', async () => {
  await createAccessFile('http://[::1]:9');
  expect(backendAddress('http://localhost:9', { env: {} }).url).toBe('http://[::1]:9');
  expect(backendAddress('http://localhost:10', { env: {} }).url).toBe('http://localhost:10');
});

test('configured credentials take precedence over the local token', async () => {
  await createAccessFile(URL_HERE);
  expect(addressWith(URL_HERE, { MON_API_KEY: 'mk_1' })).toBe('Key mk_1');
  expect(addressWith('http://me:too@127.0.0.1:9')).toMatch(/^Basic /);
});

test('each request reads the local token again, since a restarted backend has a new one', async () => {
  const file = await createAccessFile(URL_HERE);
  const address = backendAddress(URL_HERE, { env: {}, headers: { 'x-other': '1' } });
  expect(address.headers).toEqual({ authorization: AUTHORIZATION, 'x-other': '1' });
  const next = `ml_${'y'.repeat(43)}`;
  await writeFile(file, JSON.stringify({ url: URL_HERE, token: next }));
  expect(address.headers['authorization']).toBe(`Bearer ${next}`);
});

test('the local access file in the configured state directory takes precedence over the runtime directory', async () => {
  await createAccessFile(URL_HERE, `ml_${'y'.repeat(43)}`);
  const stateDir = await tempDir();
  await writeFile(join(stateDir, LOCAL_ACCESS_FILE), JSON.stringify({ url: URL_HERE, token: TOKEN }));
  expect(backendAddress(URL_HERE, { env: {}, stateDir }).headers).toEqual({ authorization: AUTHORIZATION });
});

test.each(['', '{', '[]', '{"url":"http://127.0.0.1:9"}', `{"url":"${URL_HERE}","token":"a b"}`, 'x'.repeat(5000)])(
  'a local access file with invalid content is ignored: %j',
  async (text) => {
    const file = join(await tempDir(), 'file');
    await writeFile(file, text);
    expect(readLocalAccess(file)).toBeUndefined();
  },
);

test('a pipe in place of the local access file does not block the client, and a file of another user is ignored', async () => {
  const dir = await tempDir();
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, 'pipe')]);
  expect(readLocalAccess(join(dir, 'pipe'))).toBeUndefined();
  expect(readLocalAccess(dir)).toBeUndefined();
  const file = await createAccessFile(URL_HERE);
  expect(readLocalAccess(file, process.getuid?.())).toBeDefined();
  expect(readLocalAccess(file, 54_321)).toBeUndefined();
});
