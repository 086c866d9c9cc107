import { describe, expect, test } from 'vitest';
import type { Session } from '../../../../daemon/backend/model/access/credentials.ts';
import { newSecret } from '../../../../daemon/backend/access/key-secret.ts';
import {
  digestOf,
  formatRefreshToken,
  isSameDigest,
  nextRefreshSecret,
  parseRefreshToken,
  stateOfRefreshToken,
} from '../../../../daemon/backend/access/refresh-tokens.ts';

const NOW_MS = 1_700_000_000_000;
const [before, salt] = [newSecret(), newSecret()];
const currentSecret = nextRefreshSecret(before, salt);

/** A session whose refresh token was just exchanged for the next one. */
const session: Session = {
  id: 'a'.repeat(16),
  username: 'ann',
  startedMs: NOW_MS,
  refreshHash: digestOf(currentSecret),
  rotated: { hash: digestOf(before), salt, atMs: NOW_MS },
  expiresMs: NOW_MS + 1000,
  access: [],
};

describe('the states of a refresh token', () => {
  test.each([
    ['current', currentSecret, 0, 'present'],
    ['current at any time', currentSecret, 3_600_000, 'present'],
    ['rotated and accepted for half a minute', before, 30_000, 'rotated'],
    ['used after half a minute', before, 30_001, 'used'],
    ['used after the clock was set back by half a minute', before, -30_001, 'used'],
    ['used if it is neither the current nor the previous one', newSecret(), 0, 'used'],
  ])('a refresh token has the right state for its session: %s', (_what, secret, afterMs, state) => {
    expect(stateOfRefreshToken(session, secret, NOW_MS + afterMs)).toBe(state);
  });

  test('a refresh token that is not the current one counts as used if the session was never refreshed', () => {
    const { rotated: _rotated, ...fresh } = session;
    expect(stateOfRefreshToken(fresh, before, NOW_MS)).toBe('used');
  });
});

test('only the holder of a refresh token can compute the next refresh token, which is always the same', () => {
  expect(nextRefreshSecret(before, salt)).toBe(currentSecret);
  expect(nextRefreshSecret(newSecret(), salt)).not.toBe(currentSecret);
  expect(nextRefreshSecret(before, newSecret())).not.toBe(currentSecret);
});

test('the digest of a secret does not contain the secret and differs for other secrets', () => {
  expect(digestOf(before)).not.toContain(before);
  expect(isSameDigest(digestOf(before), digestOf(before))).toBe(true);
  expect(isSameDigest(digestOf(before), digestOf(currentSecret))).toBe(false);
  expect(isSameDigest(digestOf(before), digestOf(before).slice(1))).toBe(false);
});

test('a formatted refresh token can be parsed, and any other text is rejected', () => {
  const token = { session: session.id, secret: before };
  const text = formatRefreshToken(token);
  expect(parseRefreshToken(text)).toEqual(token);
  for (const other of ['', `x${text}`, `${text}x`, text.replace('mr_', 'mk_'), text.toUpperCase()]) {
    expect(parseRefreshToken(other)).toBeUndefined();
  }
});
