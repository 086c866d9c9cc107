import { describe, expect, test } from 'vitest';
import { identityOfClaims, loginRefusal, needsUserinfo, renewalRefusal } from '../../../shared/domain/oidc.ts';

const ISSUER = 'https://id.example.org';
const SETTINGS = {
  issuer: ISSUER,
  'username-claim': 'preferred_username',
  'groups-claim': 'groups',
  'groups-prefix': 'oidc:',
};
const ACCOUNT = { issuer: ISSUER, subject: 's1' };
const ADA = { ...ACCOUNT, username: 'ada', groups: [] };

describe('claims', () => {
  test.each<{ readonly name: string; readonly groups: unknown; readonly expected: readonly string[] }>([
    { name: 'a list of groups is prefixed', groups: ['sre', 'dba'], expected: ['oidc:sre', 'oidc:dba'] },
    { name: 'a single group can be a text', groups: 'sre', expected: ['oidc:sre'] },
    { name: 'paths, blanks and commas of groups are kept', groups: ['/ops/a b,c'], expected: ['oidc:/ops/a b,c'] },
    { name: 'a repeated group counts once', groups: ['sre', 'sre'], expected: ['oidc:sre'] },
    { name: 'groups that are no texts are left out', groups: [1, null, { name: 'sre' }, ''], expected: [] },
    { name: 'a group with control characters is left out', groups: ['sre\n'], expected: [] },
    { name: 'a group that is too long is left out', groups: ['x'.repeat(255)], expected: [] },
    { name: 'a missing claim means no groups', groups: undefined, expected: [] },
  ])('$name', ({ groups, expected }) => {
    const verdict = identityOfClaims(SETTINGS, { sub: 's1', preferred_username: 'ada', groups });
    expect(verdict).toEqual({ value: { ...ADA, groups: expected } });
  });

  test('a group of the issuer without a prefix is never a system group', () => {
    const settings = { ...SETTINGS, 'groups-prefix': '' };
    const claims = { sub: 's1', preferred_username: 'ada', groups: ['system:agents', 'system:users', 'operators'] };
    expect(identityOfClaims(settings, claims)).toEqual({ value: { ...ADA, groups: ['operators'] } });
  });

  test('an email address that the issuer has not verified is no user name', () => {
    const settings = { ...SETTINGS, 'username-claim': 'email' };
    const claims = { sub: 's1', email: 'ada@example.org' };
    expect(identityOfClaims(settings, { ...claims, email_verified: true })).toMatchObject({
      value: { username: 'ada@example.org' },
    });
    expect(identityOfClaims(settings, { ...claims, email_verified: false })).toHaveProperty('refused');
  });

  test('a user with more than 1,000 groups is refused', () => {
    const groups = Array.from({ length: 1001 }, (_, number) => `g${String(number)}`);
    expect(identityOfClaims(SETTINGS, { sub: 's1', preferred_username: 'ada', groups })).toHaveProperty('refused');
  });

  test('the userinfo is needed if the token lacks the user name or the groups', () => {
    expect(needsUserinfo(SETTINGS, { preferred_username: 'ada', groups: [] })).toBe(false);
    expect(needsUserinfo(SETTINGS, { preferred_username: 'ada' })).toBe(true);
    expect(needsUserinfo(SETTINGS, { groups: [] })).toBe(true);
  });
});

describe('logins', () => {
  test('a new user and a user with the same account may log in', () => {
    expect(loginRefusal(ADA, undefined, false)).toBeUndefined();
    expect(loginRefusal(ADA, { disabled: false, account: ACCOUNT }, false)).toBeUndefined();
  });

  test.each([
    { name: 'the user of api.user is local', present: undefined, isConfigured: true },
    { name: 'a local user is not taken over', present: { disabled: false }, isConfigured: false },
    {
      name: 'a user of another subject is not taken over',
      present: { disabled: false, account: { issuer: ISSUER, subject: 's2' } },
      isConfigured: false,
    },
    {
      name: 'a user of another issuer is not taken over',
      present: { disabled: false, account: { issuer: 'https://other.example.org', subject: 's1' } },
      isConfigured: false,
    },
    { name: 'a disabled user is refused', present: { disabled: true, account: ACCOUNT }, isConfigured: false },
  ])('$name', ({ present, isConfigured }) => {
    expect(loginRefusal(ADA, present, isConfigured)).toContain('ada');
  });
});

describe('renewals', () => {
  const login = { ...ACCOUNT, username: 'ada' };
  const away = { kind: 'away', reason: 'no response', refreshToken: 'r' } as const;

  test('a confirmed login is renewed', () => {
    expect(renewalRefusal(login, 0, { kind: 'confirmed', identity: ADA, refreshToken: 'r' }, 1)).toBeUndefined();
  });

  test('a login is renewed while the issuer is away for less than 12 hours', () => {
    expect(renewalRefusal(login, 0, away, 12 * 3_600_000 - 1)).toBeUndefined();
    expect(renewalRefusal(login, 0, away, 12 * 3_600_000)).toContain('no response');
  });

  test.each([
    { name: 'another subject', identity: { ...ADA, subject: 's2' } },
    { name: 'another issuer', identity: { ...ADA, issuer: 'https://other.example.org' } },
    { name: 'another user name', identity: { ...ADA, username: 'eve' } },
  ])('an answer with $name does not renew a login', ({ identity }) => {
    expect(renewalRefusal(login, 0, { kind: 'confirmed', identity, refreshToken: 'r' }, 1)).toContain('another user');
  });

  test('a login that the issuer rejects is not renewed', () => {
    expect(renewalRefusal(login, 0, { kind: 'ended', reason: 'invalid_grant' }, 1)).toBe('invalid_grant');
  });
});
