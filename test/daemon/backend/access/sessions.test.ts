import { expect, onTestFinished, test } from 'vitest';
import { Sessions } from '../../../../daemon/backend/access/sessions.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/** Lifetime of an access token. */
const ACCESS_TOKEN_LIFETIME_MS = 15 * 60_000;
/** Lifetime of a session whose refresh token is never used. */
const HALF_DAY_MS = 12 * 3_600_000;

const CREDENTIAL = 'stored 0';

const partsOf = ({ batcher, registry, clock, log }: HandlingRig) => ({
  batcher,
  registry,
  clock,
  log,
  groupsOf: () => [],
  versions: { versionOfUser: () => CREDENTIAL, configuredUser: undefined },
  issuer: () => undefined,
});
const userOf = (name: string) => ({ name, credentialVersion: CREDENTIAL });

async function threeLogins() {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const { registry, clock } = rig;
  const sessions = new Sessions({ ...partsOf(rig), sessionsOfUserMax: 3 });
  onTestFinished(() => sessions[Symbol.dispose]());
  const open = async (username = 'ada') => {
    const tokens = await sessions.open(userOf(username));
    clock.advance(1000);
    return tokens;
  };
  const living = async (...tokens: readonly { readonly accessToken: string }[]) => {
    const found = await Promise.all(tokens.map(({ accessToken }) => sessions.findByAccessToken(accessToken)));
    return found.map((session) => session !== undefined);
  };
  return { clock, registry, sessions, open, living };
}

test('a login beyond the limit of sessions ends the session that was idle for the longest time', async () => {
  const { open, living, clock } = await threeLogins();
  const [one, two, three] = [await open(), await open(), await open()];
  clock.advance(60_000);
  await living(one);
  const four = await open();
  expect(await living(one, two, three, four)).toEqual([true, false, true, true]);
});

test('logins of other users do not count toward the limit of sessions', async () => {
  const { open, living } = await threeLogins();
  const one = await open();
  for (let count = 0; count < 5; count++) await open('bob');
  expect(await living(one)).toEqual([true]);
});

test('a login beyond the limit of sessions ends an expired session before one that is still valid', async () => {
  const { open, living, clock, registry, sessions } = await threeLogins();
  const [over, one, two] = [await open(), await open(), await open()];
  // The periodic sweep is stopped, so expired sessions are still stored.
  sessions[Symbol.dispose]();
  clock.advance(HALF_DAY_MS - ACCESS_TOKEN_LIFETIME_MS);
  const [nextOne, nextTwo] = [
    await sessions.refresh(one.accessToken, one.refreshToken),
    await sessions.refresh(two.accessToken, two.refreshToken),
  ];
  clock.advance(ACCESS_TOKEN_LIFETIME_MS - 1000);
  const four = await open();
  expect(registry.credentials.sessions.size).toBe(3);
  await expect(sessions.refresh(over.accessToken, over.refreshToken)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  const again = [
    await sessions.refresh(nextOne.accessToken, nextOne.refreshToken),
    await sessions.refresh(nextTwo.accessToken, nextTwo.refreshToken),
  ];
  expect(await living(...again, four)).toEqual([true, true, true]);
});

test('access tokens are valid after a restart, because the signing key is in the store', async () => {
  const dir = await tempDir();
  const first = await HandlingRig.open({}, { dir });
  const before = new Sessions(partsOf(first));
  const tokens = await before.open(userOf('ada'));
  before[Symbol.dispose]();
  const { clock } = first;
  await first[Symbol.asyncDispose]();
  const second = await HandlingRig.open({}, { dir, clock });
  onTestFinished(() => second[Symbol.asyncDispose]());
  const after = new Sessions(partsOf(second));
  onTestFinished(() => after[Symbol.dispose]());
  expect(await after.findByAccessToken(tokens.accessToken)).toMatchObject({ username: 'ada' });
  const next = await after.refresh(tokens.accessToken, tokens.refreshToken);
  expect(await after.findByAccessToken(next.accessToken)).toMatchObject({ username: 'ada' });
});
