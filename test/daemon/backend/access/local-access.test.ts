import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeLocalAccess, localUrlOf } from '../../../../daemon/backend/access/local-access.ts';
import { LOCAL_ACCESS_FILE } from '../../../../shared/client/local-access.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { asking, basic } from '../../../support/asking.ts';
import { send } from '../../../support/raw-http.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { startDaemon } from '../../../support/start-daemon.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const TOKEN = `ml_${'x'.repeat(43)}`;
const ACCESS = { url: 'http://127.0.0.1:4567', token: TOKEN };
const HANDLER = { type: 'pipe', command: 'sh', metadata: { name: 'shell' } };

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
const tokenOf = async (dir: string): Promise<string> => {
  const { token } = JSON.parse(await readFile(join(dir, LOCAL_ACCESS_FILE), 'utf8')) as typeof ACCESS;
  return token;
};

test('each start of a backend writes a new local token, which gives the rights of an administrator', async () => {
  const dir = await tempDir();
  const first = await startDaemon({ stateDir: dir });
  onTestFinished(() => first[Symbol.asyncDispose]());
  expect(await modeOf(join(dir, LOCAL_ACCESS_FILE))).toBe(0o600);
  const token = await tokenOf(dir);
  const local = asking(first.url, `Bearer ${token}`);
  expect(await local('POST', '/api/core/v2/handlers', HANDLER)).toMatchObject({ status: 201 });
  expect((await local('GET', '/api/mon/v1/access')).body).toMatchObject({ via: 'local', scopes: { length: 5 } });
  await first.end('SIGTERM');
  expect(await readdir(dir)).not.toContain(LOCAL_ACCESS_FILE);

  await using second = await startDaemon({ stateDir: dir });
  const another = await tokenOf(dir);
  expect(another).not.toBe(token);
  // The token of an earlier start is ignored: a request with it has the rights of a request without credentials.
  const old = asking(second.url, `Bearer ${token}`);
  expect(await old('GET', '/events')).toMatchObject({ status: 200 });
  expect(await old('GET', '/api/mon/v1/dump/Handler')).toMatchObject({
    status: 403,
    body: { error: expect.stringMatching(/local-access\.json .* mon-backend init/) },
  });
});

test('the local token is accepted besides configured credentials, and a wrong local token is rejected', async () => {
  const dir = await tempDir();
  const backend = await openBackend({
    dir,
    definitions: { api: { bind: '127.0.0.1', port: 0, user: 'root', password: 'long enough' } },
  });
  onTestFinished(() => backend.stop());
  const statusOf = async (authorization: string): Promise<number> =>
    (await asking(backend.url, authorization)('GET', '/api/core/v2/users')).status;
  expect(await statusOf(`Bearer ${await tokenOf(dir)}`)).toBe(200);
  expect(await statusOf(basic('root', 'long enough'))).toBe(200);
  expect(await statusOf(`Bearer ${TOKEN}`)).toBe(401);
  expect(await statusOf(`Key ${await tokenOf(dir)}`)).toBe(401);
  // Behind a proxy on this machine all clients have a local address, so forwarded requests may not use the token.
  const headers = { Authorization: `Bearer ${await tokenOf(dir)}`, 'X-Forwarded-For': '127.0.0.1' };
  expect(await send(backend.url, { method: 'GET', target: '/events', headers })).toMatchObject({ status: 401 });
});

const urlOf = (bind: string): string | undefined => localUrlOf('https://0.0.0.0:4567', bind);

test('the local access file names a URL only for a listener that a loopback address reaches', () => {
  expect(['127.0.0.1', '127.8.8.8', '0.0.0.0', '::', 'localhost', '::1'].map(urlOf)).toEqual([
    'https://127.0.0.1:4567',
    'https://127.8.8.8:4567',
    'https://127.0.0.1:4567',
    'https://127.0.0.1:4567',
    'https://127.0.0.1:4567',
    'https://[::1]:4567',
  ]);
  expect(['192.0.2.1', 'mon.example.org', '::ffff:192.0.2.1'].map(urlOf)).toEqual([undefined, undefined, undefined]);
});

test('a backend writes no local token into a runtime directory that others can read, and continues', async () => {
  const [stateDir, runtimeDir] = [await tempDir(), join(await tempDir(), 'mon')];
  await mkdir(runtimeDir);
  await chmod(runtimeDir, 0o755);
  const log = new RecordedLog();
  await using _ = await writeLocalAccess(ACCESS, { stateDir, runtimeDir }, log);
  expect([await readdir(stateDir), await readdir(runtimeDir)]).toEqual([[LOCAL_ACCESS_FILE], []]);
  expect(log.messages('warn')).toEqual(['could not write the access token for programs on this host']);
});

test('an old local token file is replaced with mode 0600, and a stopping backend keeps a newer token file', async () => {
  const [stateDir, runtimeDir] = [await tempDir(), join(await tempDir(), 'mon')];
  const file = join(stateDir, LOCAL_ACCESS_FILE);
  await writeFile(file, 'old', { mode: 0o666 });
  await chmod(file, 0o666);
  const left = await writeLocalAccess(ACCESS, { stateDir, runtimeDir }, new RecordedLog());
  expect([await modeOf(file), await tokenOf(stateDir), await modeOf(runtimeDir)]).toEqual([0o600, TOKEN, 0o700]);
  const next = { ...ACCESS, token: `ml_${'y'.repeat(43)}` };
  await writeLocalAccess(next, { stateDir, runtimeDir }, new RecordedLog());
  await left[Symbol.asyncDispose]();
  expect([await tokenOf(stateDir), (await readdir(runtimeDir)).length]).toEqual([next.token, 1]);
});
