import { describe, expect, test } from 'vitest';
import {
  respondingMember,
  clusterTroubles,
  newestHeard,
  successionOf,
  leaderName,
} from '../../../shared/domain/cluster.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import type { PeerStanding } from '../../../shared/schemas/peer-standing.ts';
import { aClusterView, aMember } from '../../support/told-cluster.ts';

const writer = aMember('web1', { role: 'leader' });
const away = { kind: 'postgres', location: 'postgres://db/mon', state: 'unavailable', problem: 'refused' } as const;

describe('the next leader after a handover', () => {
  test.each<{ name: string; view?: Partial<ClusterView>; to?: string; expected: unknown }>([
    {
      name: 'of the others the one with the smallest lag',
      view: { members: [aMember('web3', { lag: 4 }), writer, aMember('web2', { lag: 3 })] },
      expected: 'web2-id',
    },
    {
      name: 'never one that lags or is lost',
      view: { members: [writer, aMember('web2', { state: 'lagging', lag: 1 }), aMember('web3', { lag: 9 })] },
      expected: 'web3-id',
    },
    {
      name: 'never one that has not proved itself',
      view: { members: [writer, aMember('web2', { problem: 'is none of ours' }), aMember('web3', { lag: 9 })] },
      expected: 'web3-id',
    },
    { name: 'the one of this name', to: 'web3:4567', expected: 'web3-id' },
    { name: 'the one of this id', to: 'web2-id', expected: 'web2-id' },
    {
      name: 'the one of this id, although another is called so',
      view: { members: [writer, aMember('web2'), aMember('web3', { name: 'web2-id' })] },
      to: 'web2-id',
      expected: 'web2-id',
    },
    { name: 'anybody, while nobody writes', view: { leader: null }, to: 'web1:4567', expected: 'web1-id' },
  ])('$name', ({ view, to, expected }) => {
    expect(successionOf(aClusterView(view), to)).toMatchObject({ kind: 'to', member: { id: expected } });
  });

  test.each<{ name: string; view?: Partial<ClusterView>; to?: string; code: string; reason: RegExp }>([
    {
      name: 'without a database there is nobody else, and the way there is named',
      view: { database: { kind: 'leveldb', location: '/var/lib/mon', state: 'ok', problem: null }, members: [writer] },
      code: 'invalid',
      reason: /no other member.*--store postgres:\/\/….*docs\/scale-out\.md/,
    },
    {
      name: 'the only one with its database has nobody else, whoever is named',
      view: { members: [writer] },
      to: 'web2:4567',
      code: 'invalid',
      reason: /^there is no other member: no other backend uses this database$/,
    },
    { name: 'a name that nobody has', to: 'web9', code: 'not_found', reason: /^there is no member web9$/ },
    {
      name: 'a name that two have',
      view: { members: [writer, aMember('web2'), aMember('web3', { name: 'web2:4567' })] },
      to: 'web2:4567',
      code: 'invalid',
      reason: /several members have the name web2:4567: use an id, web2-id, web3-id/,
    },
    { name: 'the one that writes', to: 'web1:4567', code: 'conflict', reason: /^web1:4567 is the leader already$/ },
    {
      name: 'one that is too far behind',
      view: { members: [writer, aMember('web2', { state: 'lagging' }), aMember('web3')] },
      to: 'web2:4567',
      code: 'conflict',
      reason: /too far behind/,
    },
    {
      name: 'one that is lost',
      view: { members: [writer, aMember('web2', { state: 'lost' }), aMember('web3')] },
      to: 'web2-id',
      code: 'conflict',
      reason: /no heartbeat/,
    },
    {
      name: 'one that has not proved itself',
      view: { members: [writer, aMember('web2', { problem: 'has no peer-key-file' }), aMember('web3')] },
      to: 'web2:4567',
      code: 'conflict',
      reason: /^web2:4567 has no peer-key-file$/,
    },
    {
      name: 'anybody, when all others lag or are lost',
      view: { members: [writer, aMember('web2', { state: 'lost' }), aMember('web3', { state: 'lagging' })] },
      code: 'conflict',
      reason: /^every other member lags, is lost or is not trusted$/,
    },
  ])('a handover is rejected: $name', ({ view, to, code, reason }) => {
    expect(successionOf(aClusterView(view), to)).toEqual({
      kind: 'refused',
      code,
      reason: expect.stringMatching(reason) as string,
    });
  });
});

describe('what the member that answers is in trouble with', () => {
  const behind = [writer, aMember('web2', { state: 'lagging', lag: 1204 })];
  test.each<{ name: string; view?: Partial<ClusterView>; expected: readonly string[] }>([
    { name: 'nothing', expected: [] },
    { name: 'the database', view: { database: away }, expected: ['database down: writes wait'] },
    { name: 'nobody who writes', view: { leader: null }, expected: ['no leader: writes wait'] },
    {
      name: 'being behind',
      view: { member_id: 'web2-id', members: behind },
      expected: ['member web2:4567 is 1204 writes behind'],
    },
    {
      name: 'another member that has not proved itself',
      view: { members: [writer, aMember('web2', { problem: 'has no peer-key-file' })] },
      expected: ['member web2:4567 has no peer-key-file'],
    },
    { name: 'others that are behind are not its trouble', view: { members: behind }, expected: [] },
    {
      name: 'several things, the worst first',
      view: { member_id: 'web2-id', members: behind, database: away, leader: null },
      expected: ['database down: writes wait', 'no leader: writes wait', 'member web2:4567 is 1204 writes behind'],
    },
    {
      name: 'a directory that fails is told elsewhere',
      view: { database: { ...away, kind: 'leveldb' } },
      expected: [],
    },
  ])('the troubles of a member list $name', ({ view, expected }) => {
    expect(clusterTroubles(aClusterView(view)).map(({ text }) => text)).toEqual(expected);
  });
});

test('a member that is not known yet has no name', () => {
  const view = aClusterView({ member_id: 'web9-id', leader: { id: 'web8-id', since: 1, epoch: 1 } });
  expect(respondingMember(view)).toBeUndefined();
  expect(leaderName(view)).toBe('web8-id');
  expect(leaderName(aClusterView())).toBe('web1:4567');
  expect(leaderName(aClusterView({ leader: null }))).toBeUndefined();
});

const standing = (seq: number, hears: boolean): PeerStanding => ({ seq, hears_database: hears });

describe('the newest known position of a lost database', () => {
  test.each([
    { name: 'nobody has answered', standings: [], expected: undefined },
    { name: 'those who answer have lost it as well', standings: [standing(9, false)], expected: undefined },
    {
      name: 'the furthest of those who have not',
      standings: [standing(7, true), standing(8, true), standing(9, false)],
      expected: 8,
    },
  ])('the newest known position of a lost database is derived: $name', ({ standings, expected }) => {
    expect(newestHeard(standings)).toBe(expected);
  });
});
