import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SsoRig } from '../../support/sso-rig.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function openTerminal() {
  const rig = await SsoRig.open();
  await rig.bindGroup('view');
  const config = await tempDir();
  const env = { XDG_CONFIG_HOME: config };
  const logins = join(config, 'mon', 'logins');
  const monctl = (...args: string[]) => runMonctl([...args, '--backend', rig.url], env);
  const file = async () => join(logins, (await readdir(logins))[0] ?? '');
  /** Logs in: the user confirms the shown code while monctl waits for the first poll. */
  const logIn = ({ denies = false } = {}) =>
    runMonctl(['login', '--backend', rig.url], env, {
      wait: async (shown) => {
        const [, code = ''] = /code (\S+)/.exec(shown) ?? [];
        await rig.issuer.confirm(code, 'subject-1', { denies });
      },
    });
  return { rig, env, logins, monctl, file, logIn };
}

test('monctl login shows the page and the code, and stores a login that only its owner can read', async () => {
  const { monctl, file, logIn, logins } = await openTerminal();
  const login = await logIn();
  expect(login).toMatchObject({ code: 0, stdout: 'Logged in as ada\n' });
  expect(login.stderr).toMatch(/open this page in a browser: http:\/\/127\.0\.0\.1:\d+\/device\nand enter the code/);
  expect((await stat(await file())).mode & 0o777).toBe(0o600);
  expect((await stat(logins)).mode & 0o777).toBe(0o700);
  expect(await monctl('event', 'list', '--output', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
  // The stored login takes precedence over the token of the local administrator.
  expect(await monctl('user', 'list')).toMatchObject({ stdout: '' });
});

test('monctl renews a login whose access token has expired, without a question', async () => {
  const { rig, monctl, logIn } = await openTerminal();
  await logIn();
  for (let count = 0; count < 3; count += 1) {
    rig.clock.advance(15 * 60_000);
    expect(await monctl('event', 'list', '--output', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
  }
});

test('a login that the issuer has ended is deleted, and monctl says how to log in again', async () => {
  const { rig, monctl, logIn, logins } = await openTerminal();
  await logIn();
  rig.issuer.accounts.clear();
  rig.clock.advance(60_000);
  const run = await monctl('event', 'list');
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain('monctl login');
  expect(await readdir(logins)).toEqual([]);
});

test('monctl logout revokes the login and deletes it', async () => {
  const { rig, monctl, logIn, logins } = await openTerminal();
  await logIn();
  expect(await monctl('logout')).toMatchObject({ code: 0, stdout: 'Logged out ada\n' });
  expect(await readdir(logins)).toEqual([]);
  expect(rig.issuer.refreshTokenCount).toBe(0);
  expect(await monctl('logout')).toMatchObject({ code: 3 });
});

test('monctl logout deletes the login even if the backend does not answer', async () => {
  const { rig, env, logIn, logins } = await openTerminal();
  await logIn();
  const { url } = rig;
  await rig.stop();
  expect((await runMonctl(['logout', '--backend', url], env)).code).not.toBe(0);
  expect(await readdir(logins)).toEqual([]);
});

test('a login that the user denies ends with an error', async () => {
  const { logIn } = await openTerminal();
  const run = await logIn({ denies: true });
  expect(run.stderr).toContain('the login was denied in the browser: log in again');
  expect(run.code).not.toBe(0);
});

test('a stored login that other users can read is not used', async () => {
  const { monctl, file, logIn } = await openTerminal();
  await logIn();
  await chmod(await file(), 0o644);
  // Without the login, the token of the local administrator applies.
  expect(await monctl('user', 'list')).toMatchObject({ code: 0 });
});

test('other credentials take precedence over a login', async () => {
  const { rig, env } = await openTerminal();
  const run = await runMonctl(['login', '--backend', rig.url], { ...env, MON_API_KEY: 'mk_x' });
  expect(run.stderr).toContain('take precedence over a login');
});
