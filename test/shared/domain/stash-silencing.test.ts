import { describe, expect, test } from 'vitest';
import { lastsAtLeastAsLong, convertStash, silenceSupportProblem } from '../../../shared/domain/stash-silencing.ts';

const content = { reason: 'planned', owner: 'alice', timestamp: 1 };

describe('silence stashes of Sensu Core become silences (reference 9.1, completion 1.19)', () => {
  test.each([
    ['silence/web-1', 'client:web-1:*'],
    ['silence/web-1/disk', 'client:web-1:disk'],
    ['silence/all/disk', '*:disk'],
    ['silence/all', 'client:all:*'],
  ])('the stash %s becomes the silence %s', (path, id) => {
    expect(convertStash({ path, content, expire: 60 })).toMatchObject({
      kind: 'entry',
      path,
      id,
      request: { expire: 60, reason: 'planned', creator: 'alice' },
    });
  });

  test.each(['silence/', 'silence/a/b/c', 'silence/web-1/', 'silence/a b', 'silence/web-1/a b'])(
    'the silence stash %s has no valid target',
    (path) => {
      expect(convertStash({ path, content, expire: -1 })).toMatchObject({ kind: 'unclear', path });
    },
  );

  test.each(['silence', 'silenced/web-1', 'notes/silence', ''])('the stash %j is not treated as a silence', (path) => {
    expect(convertStash({ path, content, expire: -1 })).toBeUndefined();
  });

  test('a silence stash without usable content leaves reason and creator empty', () => {
    expect(convertStash({ path: 'silence/a', content: { reason: 7, owner: '' }, expire: -1 })).toMatchObject({
      request: { reason: null, creator: null, expire: -1 },
    });
  });
});

describe('clients that a migrated silence would not match', () => {
  test.each([
    { name: 'a', subscriptions: ['client:a'], version: '1.9.0', expected: undefined },
    { name: 'a', subscriptions: ['client:a'], expected: undefined },
    { name: 'a', subscriptions: ['web'], version: '1.9.0', expected: 'a lacks the subscription client:a' },
    { name: 'a', subscriptions: ['client:a'], version: '0.25.3', expected: 'a runs 0.25.3, older than 0.26' },
  ])(
    'a migrated silence reports whether a client of version $version with $subscriptions would match',
    ({ expected, ...client }) => {
      expect(silenceSupportProblem(client)).toBe(expected);
    },
  );
});

test.each([
  [-1, -1, true],
  [-1, 60, true],
  [60, -1, false],
  [60, 60, true],
  [59, 60, false],
])(
  'a silence with %d seconds left lasts at least as long as a silence of %d seconds: %s',
  (present, wanted, covered) => {
    expect(lastsAtLeastAsLong(present, wanted)).toBe(covered);
  },
);
