import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createFirstAdministrator } from '../../../../daemon/backend/accounts/initialize.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import { asking, basic } from '../../../support/asking.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { Pty } from '../../../support/pty.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { startDaemon } from '../../../support/start-daemon.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { programArguments } from '../../../support/built-programs.ts';

/** Returns prompts to which an operator responds with these answers, in order. */
const scriptedPrompts = (...answers: readonly string[]) => {
  const left = [...answers];
  const ask = async (): Promise<string> => left.shift() ?? '';
  return { ask, askSecret: ask };
};

const init = (
  dir: string,
  env: Readonly<Record<string, string>>,
  terminal?: ReturnType<typeof scriptedPrompts>,
): Promise<string | undefined> =>
  createFirstAdministrator({
    openStore: () => openLevelStore(dir),
    clock: new SystemClock(),
    log: new RecordedLog(),
    env,
    terminal,
  });

const ADA = { MON_ADMIN_USERNAME: 'ada', MON_ADMIN_PASSWORD: 'correct horse' };

test('only the administrator from the environment can log in after the first start', async () => {
  const dir = await tempDir();
  expect(await init(dir, ADA)).toBe('ada');
  const backend = await openBackend({ dir });
  const ada = asking(backend.url, basic('ada', 'correct horse'));
  expect((await asking(backend.url, null)('GET', '/events')).status).toBe(401);
  expect((await ada('GET', '/api/core/v2/users')).body).toMatchObject([
    { username: 'ada', groups: ['cluster-admins'] },
  ]);
  expect((await ada('GET', '/api/mon/v1/audit')).body).toMatchObject([
    { action: 'user.create', target: 'ada', who: 'mon', how: 'mon-backend init' },
  ]);
  await expect(init(dir, ADA)).rejects.toMatchObject({ code: 'conflict' });
  await backend.stop();
  // An administrator exists now, so the password stays the same.
  expect(await init(dir, { ...ADA, MON_ADMIN_PASSWORD: 'another one' })).toBeUndefined();
});

test('init without a user name prompts for the name once and for the password twice', async () => {
  const dir = await tempDir();
  await expect(init(dir, {}, scriptedPrompts('eve', 'battery staple', 'battery stable'))).rejects.toThrow(
    'the two passwords differ',
  );
  expect(await init(dir, {}, scriptedPrompts('eve', 'battery staple', 'battery staple'))).toBe('eve');
});

test('init can read the password from a file', async () => {
  const dir = await tempDir();
  const file = join(await tempDir(), 'password');
  await writeFile(file, 'correct horse\n');
  const env = { MON_ADMIN_USERNAME: 'ada', MON_ADMIN_PASSWORD_FILE: file };
  await expect(init(dir, { ...env, MON_ADMIN_PASSWORD: 'x' })).rejects.toThrow('not both');
  expect(await init(dir, env)).toBe('ada');
});

test.each([
  { name: 'a short password', env: { ...ADA, MON_ADMIN_PASSWORD: 'short' }, problem: 'password: must have at least 8' },
  { name: 'a name with a colon', env: { ...ADA, MON_ADMIN_USERNAME: 'a:b' }, problem: 'username: must be word' },
  { name: 'neither settings nor a terminal', env: {}, problem: 'set MON_ADMIN_USERNAME' },
])('init with $name creates no administrator', async ({ env, problem }) => {
  const dir = await tempDir();
  await expect(init(dir, env)).rejects.toThrow(problem);
  expect(await init(dir, ADA)).toBe('ada');
});

/** Runs `mon-backend` to its end, and returns its exit code and output. */
async function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [...programArguments('mon-backend'), ...args], {
    env: { ...process.env, ...ADA },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

test(
  'init prints the user that it created, and exits with 3 if an administrator exists',
  { tags: 'slow' },
  async () => {
    const dir = join(await tempDir(), 'state');
    const args = ['init', '--state-dir', dir];
    expect(await run(args)).toEqual({ code: 0, stdout: `created the administrator ada in ${dir}\n`, stderr: '' });
    expect(await run(args)).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing was changed') });
    expect(await run([...args, '--ignore-already-initialized'])).toEqual({ code: 0, stdout: '', stderr: '' });
    // Without an administrator, the backend would refuse to listen on all addresses.
    await using daemon = await startDaemon({ stateDir: dir, args: ['--bind', '0.0.0.0', '--insecure-http'] });
    const url = daemon.url.replace('0.0.0.0', '127.0.0.1');
    expect((await asking(url, null)('GET', '/events')).status).toBe(401);
    expect((await asking(url, basic('ada', 'correct horse'))('GET', '/events')).status).toBe(200);
  },
);

test('init does not show a password that is typed on a terminal', async () => {
  const dir = join(await tempDir(), 'state');
  await using pty = new Pty(process.execPath, [...programArguments('mon-backend'), 'init', '--state-dir', dir]);
  await pty.waitForText('Name of the administrator:');
  pty.write('ada\r');
  await pty.waitForText('Password, at least 8 characters:');
  pty.write('correct horse\r');
  await pty.waitForText('The same password again:');
  pty.write('correct horse\r');
  await pty.waitForText('created the administrator ada');
  expect(pty.screen.text).not.toContain('correct');
  expect(await pty.exited).toMatchObject({ exitCode: 0 });
});
