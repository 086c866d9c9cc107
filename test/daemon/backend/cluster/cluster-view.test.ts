import { expect, test } from 'vitest';
import { clusterViewOf } from '../../../../daemon/backend/cluster/cluster-view.ts';
import type { MemberStanding, StoredMember } from '../../../../daemon/backend/store/shared-store.ts';

const NOW_MS = 1_800_000_000_000;

function member(id: string, host: string, [since, seen]: readonly [since: number, seen: number]): StoredMember {
  return {
    id,
    name: `${host}:4567`,
    url: `http://${host}:4567`,
    fingerprint: undefined,
    proof: undefined,
    version: '1.0.0',
    seq: 7,
    sinceMs: NOW_MS - since * 1000,
    seenMs: NOW_MS - seen * 1000,
  };
}

/** Returns id, role and state of each member, as the member `a` shows them. */
function shownMembers(members: readonly StoredMember[], holder = 'a'): readonly string[] {
  const lease = {
    holder,
    sinceMs: NOW_MS,
    goodUntilMs: NOW_MS + 3000,
    offeredTo: undefined,
    epoch: 1,
    seq: 7,
  } satisfies MemberStanding['lease'];
  const self = { id: 'a', seq: 7, newest: 7, isTooFarBehind: false, problems: new Map<string, string>() };
  const view = clusterViewOf({ nowMs: NOW_MS, members, lease }, self, { location: 'db', problem: null });
  return view.members.map(({ id, role, state }) => `${id} ${role} ${state}`);
}

const self = member('a', 'one', [60, 1]);

test.each<{ readonly name: string; readonly members: readonly StoredMember[]; readonly expected: readonly string[] }>([
  {
    name: 'a backend that was killed and restarted as one member',
    members: [self, member('old', 'two', [500, 36]), member('new', 'two', [30, 1])],
    expected: ['a leader ok', 'new follower ok'],
  },
  {
    name: 'a backend that was killed and restarted a moment ago as one member',
    members: [self, member('old', 'two', [500, 2]), member('new', 'two', [2, 1])],
    expected: ['a leader ok', 'new follower ok'],
  },
  {
    name: 'a backend that was restarted twice as one member',
    members: [self, member('x', 'two', [500, 90]), member('y', 'two', [80, 40]), member('z', 'two', [30, 1])],
    expected: ['a leader ok', 'z follower ok'],
  },
  {
    name: 'a backend that is gone for good',
    members: [self, member('old', 'two', [500, 36]), member('b', 'three', [30, 1])],
    expected: ['a leader ok', 'old follower lost', 'b follower ok'],
  },
  {
    name: 'two running backends that have the same address by mistake',
    members: [self, member('b', 'two', [500, 1]), member('c', 'two', [30, 1])],
    expected: ['a leader ok', 'b follower ok', 'c follower ok'],
  },
])('the cluster view shows $name', ({ members, expected }) => {
  expect(shownMembers(members)).toEqual(expected);
});

test('the cluster view shows a killed leader beside its successor while the killed leader holds the lease', () => {
  const members = [self, member('old', 'two', [500, 2]), member('new', 'two', [2, 1])];
  expect(shownMembers(members, 'old')).toEqual(['a follower ok', 'old leader ok', 'new follower ok']);
});
