import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pty } from '../../support/pty.ts';
import { MONCTL, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ADMIN = 'me:let me in';

let backend: RunningBackend;
let home: string;

beforeAll(async () => {
  backend = await startBackend({ settings: { api: { user: 'me', password: 'let me in' } } });
  home = await mkdtemp(join(tmpdir(), 'mon-test-'));
});
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

function monctl(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url, MON_CREDENTIALS: ADMIN }, options);
}

/** Runs monctl with an environment that only sets the directory of the configuration file. */
function atHome(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { XDG_CONFIG_HOME: home }, options);
}

const FROM_STDIN = ['--password-file', '-'];

test('monctl creates, lists and disables a user and changes the password of the user', async () => {
  const create = ['user', 'create', 'alice', '--groups', 'operators,viewers', ...FROM_STDIN];
  expect(await monctl(create, { input: 'correct horse\n' })).toEqual({ code: 0, stdout: 'Created\n', stderr: '' });
  expect(await monctl(create, { input: 'correct horse\n' })).toMatchObject({ code: 6 });
  expect((await monctl(['user', 'list'])).stdout).toMatch(/^alice +yes +operators, viewers$/m);
  const json = await monctl(['user', 'list', '-o', 'json']);
  expect(json.stdout).not.toContain('hash');

  const look = ['event', 'list', '--backend', backend.url];
  const as = (password: string): Promise<MonctlRun> => runMonctl(look, { MON_CREDENTIALS: `alice:${password}` });
  expect(await as('correct horse')).toMatchObject({ code: 0 });
  expect(await monctl(['user', 'set-password', 'alice', ...FROM_STDIN], { input: 'battery staple' })).toMatchObject({
    code: 0,
    stdout: 'Updated\n',
  });
  expect(await as('correct horse')).toMatchObject({ code: 4 });
  expect(await as('battery staple')).toMatchObject({ code: 0 });
  expect(await monctl(['user', 'disable', 'alice', '--skip-confirm'])).toMatchObject({ code: 0, stdout: 'Disabled\n' });
  expect(await as('battery staple')).toMatchObject({ code: 4 });
  expect(await monctl(['user', 'enable', 'alice'])).toMatchObject({ code: 0, stdout: 'Enabled\n' });
  expect(await as('battery staple')).toMatchObject({ code: 0 });
  expect(await monctl(['user', 'enable', 'nobody'])).toMatchObject({ code: 3 });
  expect(await monctl(['user', 'disable', 'nobody'])).toMatchObject({ code: 3 });
  expect(await monctl(['user', 'log-out', 'alice'])).toMatchObject({ code: 0, stdout: 'Logged out\n' });
  expect(await monctl(['user', 'log-out', 'nobody'])).toMatchObject({ code: 3 });
});

test('monctl never accepts a password on the command line, and asks for it twice on a terminal', async () => {
  expect(await monctl(['user', 'create', 'eve', '--password', 'x'])).toMatchObject({ code: 2 });
  expect(await monctl(['user', 'create', 'eve'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'monctl: there is no terminal to prompt for the password of eve: use --password-file FILE, or - for standard input\n',
  });
  const asked = await monctl(['user', 'create', 'eve', '--groups', 'viewers'], { answer: 'to be or not' });
  expect(asked).toEqual({
    code: 0,
    stdout: 'Created\n',
    stderr: 'password of eve: password of eve, again: ',
  });
  expect(await monctl(['user', 'create', 'mallory', ...FROM_STDIN], { input: '\n' })).toMatchObject({ code: 2 });
});

test('monctl creates an API key, shows it once, lists it and revokes it', async () => {
  const granted = await monctl([
    'api-key',
    'create',
    'me',
    '--scopes',
    'read',
    '--expire',
    '1d',
    '--description',
    'board',
  ]);
  expect(granted.stdout).toMatch(
    /^Created a new API key\. Save this key as it will not be retrievable later!\nName {2}[\da-f]{16}\nKey {3}mk_\S+\n$/,
  );
  const [, name = '', key = ''] = /Name {2}(\S+)\nKey {3}(\S+)/.exec(granted.stdout) ?? [];
  const withKey = (...line: string[]): Promise<MonctlRun> =>
    runMonctl(line, { MON_BACKEND: backend.url, MON_API_KEY: key });
  expect(await withKey('event', 'list')).toMatchObject({ code: 0 });
  expect(await withKey('namespace', 'create', 'x')).toMatchObject({ code: 4 });
  const { stdout } = await monctl(['api-key', 'list']);
  expect(stdout).toMatch(new RegExp(`^${name} +me +read +all +\\d{4}-.* board$`, 'm'));
  expect((await monctl(['api-key', 'list', '-o', 'json'])).stdout).not.toMatch(/hash|mk_/);
  expect(await monctl(['api-key', 'revoke', name, '--skip-confirm'])).toMatchObject({ code: 0, stdout: 'Deleted\n' });
  expect(await withKey('event', 'list')).toMatchObject({ code: 4 });
  expect(await monctl(['api-key', 'revoke', name])).toMatchObject({ code: 3 });
  expect(await monctl(['api-key', 'create', 'nobody'])).toMatchObject({ code: 2 });
});

test('monctl configure stores a backend for monctl and the console, with the secret in a separate file', async () => {
  const line = ['configure', '--context', 'prod', '--backend', backend.url, '--user', 'me', '--namespace', 'default'];
  const config = join(home, 'mon', 'console.yml');
  expect(await atHome([...line, ...FROM_STDIN], { input: 'wrong' })).toMatchObject({
    code: 4,
    stderr: `monctl: ${backend.url} rejected these credentials: nothing was written\n`,
  });
  await expect(stat(config)).rejects.toThrow(/ENOENT/);

  expect(await atHome([...line, ...FROM_STDIN], { input: 'let me in\n' })).toEqual({
    code: 0,
    stdout: `the context prod for ${backend.url} is in ${config}\n`,
    stderr: '',
  });
  expect(await readFile(config, 'utf8')).not.toContain('let me in');
  for (const file of [config, join(home, 'mon', 'secrets', 'prod')])
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await atHome(['namespace', 'list', '-o', 'json'])).toMatchObject({ code: 0 });
  expect((await atHome(['version'])).stdout).toContain(backend.url);
  expect(await atHome(['event', 'list', '--context', 'test'])).toMatchObject({
    code: 3,
    stderr: 'monctl: there is no context "test": use one of prod\n',
  });
});

test('monctl configure adds a context with an API key and keeps the rest of the file', async () => {
  const granted = await monctl(['api-key', 'create', 'me', '-o', 'json']);
  const { key } = JSON.parse(granted.stdout) as { key: string };
  const file = join(home, 'key');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  const config = join(home, 'mon', 'console.yml');
  await writeFile(config, `# mine\nskin: dark\n${await readFile(config, 'utf8')}`);
  const made = await atHome(['configure', '--context', 'ci', '--backend', backend.url, '--api-key-file', file]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const text = await readFile(config, 'utf8');
  expect(text).toMatch(/^# mine\nskin: dark\n/);
  expect(text).toMatch(/^context: ci$/m);
  expect(await atHome(['api-key', 'list'])).toMatchObject({ code: 0 });
  expect(await atHome(['api-key', 'list', '--context', 'prod'])).toMatchObject({ code: 0 });
  const completed = await atHome(['__complete', '--', 'event', 'list', '--context', '']);
  expect(completed.stdout).toBe('prod\nci\n');
});

test('monctl configure asks for its values on a real terminal and does not show the typed password', async () => {
  const env = { XDG_CONFIG_HOME: home };
  const line = ['configure', '--context', 'asked'];
  await using asked = new Pty(process.execPath, [MONCTL, ...line], { env });
  await asked.waitForText('backend [http://127.0.0.1:4567]:');
  asked.write(`${backend.url}\r`);
  await asked.waitForText('user (empty for an API key):');
  asked.write('me\r');
  await asked.waitForText('password of me:');
  asked.write('let me in\r');
  await asked.waitForText('the context asked for ');
  expect(asked.screen.text).not.toContain('let me in');
  expect((await asked.exited).exitCode).toBe(0);
  expect(await atHome(['api-key', 'list', '--context', 'asked'])).toMatchObject({ code: 0 });

  await using left = new Pty(process.execPath, [MONCTL, ...line, '--backend', backend.url, '--user', 'me'], { env });
  await left.waitForText('password of me:');
  left.write('\u0003');
  expect((await left.exited).signal).toBe(2);
});

test.each([
  ['credentials in the address', ['--backend', 'http://a:b@127.0.0.1:1'], /do not put credentials into the URL/],
  ['a missing backend', [], /set the backend/],
  [
    'a user together with an API key',
    ['--backend', 'http://127.0.0.1:1', '--user', 'a', '--api-key-file', '/x'],
    /not both/,
  ],
])('monctl configure rejects %s', async (_what, options, message) => {
  const { code, stderr } = await atHome(['configure', ...options]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('an old name in a context works, and monctl prints a warning to stderr', async () => {
  const dir = await tempDir();
  const file = join(dir, 'mon', 'console.yml');
  await mkdir(join(dir, 'mon'));
  const credentials = 'user: me, password: { env: LAB_PASSWORD }';
  const context = `{ backend: "${backend.url}", ${credentials}, insecure_skip_tls_verify: false }`;
  await writeFile(file, `context: lab\ncontexts:\n  lab: ${context}\n`);
  const { code, stderr } = await runMonctl(['health'], { XDG_CONFIG_HOME: dir, LAB_PASSWORD: 'let me in' });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(
      /^monctl: .*console\.yml:3:\d+: contexts\.lab\.insecure_skip_tls_verify: is an old name: use insecure-skip-tls-verify\n$/,
    ) as string,
  });
});
