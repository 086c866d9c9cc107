import { describe, expect, test } from 'vitest';
import {
  respondingMember,
  clusterTroubles,
  newestReportedSeq,
  chooseNextLeader,
  leaderName,
} from '../../../shared/domain/cluster.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import type { PeerStanding } from '../../../shared/schemas/peer-standing.ts';
import { aClusterView, aMember } from '../../support/simulated-cluster.ts';

const writer = aMember('web1', { role: 'leader' });
const away = { kind: 'postgres', location: 'postgres://db/mon', state: 'unavailable', problem: 'refused' } as const;

describe('the next leader after a handover', () => {
  test.each<{ name: string; view?: Partial<ClusterView>; to?: string; expected: unknown }>([
    {
      name: 'the member with the smallest lag',
      view: { members: [aMember('web3', { lag: 4 }), writer, aMember('web2', { lag: 3 })] },
      expected: 'web2-id',
    },
    {
      name: 'never a lagging or lost member',
      view: { members: [writer, aMember('web2', { state: 'lagging', lag: 1 }), aMember('web3', { lag: 9 })] },
      expected: 'web3-id',
    },
    {
      name: 'never a member without a valid proof',
      view: { members: [writer, aMember('web2', { problem: 'is none of ours' }), aMember('web3', { lag: 9 })] },
      expected: 'web3-id',
    },
    { name: 'the member with the requested name', to: 'web3:4567', expected: 'web3-id' },
    { name: 'the member with the requested id', to: 'web2-id', expected: 'web2-id' },
    {
      name: 'the member with the requested id even if another member has that name',
      view: { members: [writer, aMember('web2'), aMember('web3', { name: 'web2-id' })] },
      to: 'web2-id',
      expected: 'web2-id',
    },
    { name: 'any member while there is no leader', view: { leader: null }, to: 'web1:4567', expected: 'web1-id' },
  ])('a handover selects the next leader: $name', ({ view, to, expected }) => {
    expect(chooseNextLeader(aClusterView(view), to)).toMatchObject({ kind: 'to', member: { id: expected } });
  });

  test.each<{ name: string; view?: Partial<ClusterView>; to?: string; code: string; reason: RegExp }>([
    {
      name: 'a backend without a shared database has no other members, and the error says how to add one',
      view: { database: { kind: 'leveldb', location: '/var/lib/mon', state: 'ok', problem: null }, members: [writer] },
      code: 'invalid',
      reason: /no other member.*--store postgres:\/\/….*docs\/scale-out\.md/,
    },
    {
      name: 'a single member has no other member, whichever name is requested',
      view: { members: [writer] },
      to: 'web2:4567',
      code: 'invalid',
      reason: /^there is no other member: no other backend uses this database$/,
    },
    { name: 'no member has the requested name', to: 'web9', code: 'not_found', reason: /^there is no member web9$/ },
    {
      name: 'two members have the requested name',
      view: { members: [writer, aMember('web2'), aMember('web3', { name: 'web2:4567' })] },
      to: 'web2:4567',
      code: 'invalid',
      reason: /several members have the name web2:4567: use an id, web2-id, web3-id/,
    },
    {
      name: 'the requested member is the leader already',
      to: 'web1:4567',
      code: 'conflict',
      reason: /^web1:4567 is the leader already$/,
    },
    {
      name: 'the requested member lags too far behind',
      view: { members: [writer, aMember('web2', { state: 'lagging' }), aMember('web3')] },
      to: 'web2:4567',
      code: 'conflict',
      reason: /too far behind/,
    },
    {
      name: 'the requested member is lost',
      view: { members: [writer, aMember('web2', { state: 'lost' }), aMember('web3')] },
      to: 'web2-id',
      code: 'conflict',
      reason: /no heartbeat/,
    },
    {
      name: 'the requested member has no valid proof',
      view: { members: [writer, aMember('web2', { problem: 'has no peer-key-file' }), aMember('web3')] },
      to: 'web2:4567',
      code: 'conflict',
      reason: /^web2:4567 has no peer-key-file$/,
    },
    {
      name: 'all other members lag or are lost',
      view: { members: [writer, aMember('web2', { state: 'lost' }), aMember('web3', { state: 'lagging' })] },
      code: 'conflict',
      reason: /^every other member lags, is lost or is not trusted$/,
    },
  ])('a handover is rejected: $name', ({ view, to, code, reason }) => {
    expect(chooseNextLeader(aClusterView(view), to)).toEqual({
      kind: 'refused',
      code,
      reason: expect.stringMatching(reason) as string,
    });
  });
});

describe('the troubles of the responding cluster member', () => {
  const behind = [writer, aMember('web2', { state: 'lagging', lag: 1204 })];
  test.each<{ name: string; view?: Partial<ClusterView>; expected: readonly string[] }>([
    { name: 'a healthy cluster has no troubles', expected: [] },
    { name: 'the database is down', view: { database: away }, expected: ['database down: writes wait'] },
    { name: 'there is no leader', view: { leader: null }, expected: ['no leader: writes wait'] },
    {
      name: 'the member itself lags',
      view: { member_id: 'web2-id', members: behind },
      expected: ['member web2:4567 is 1204 writes behind'],
    },
    {
      name: 'another member has no valid proof',
      view: { members: [writer, aMember('web2', { problem: 'has no peer-key-file' })] },
      expected: ['member web2:4567 has no peer-key-file'],
    },
    { name: 'the lag of other members is no trouble of this member', view: { members: behind }, expected: [] },
    {
      name: 'several troubles are listed with the worst first',
      view: { member_id: 'web2-id', members: behind, database: away, leader: null },
      expected: ['database down: writes wait', 'no leader: writes wait', 'member web2:4567 is 1204 writes behind'],
    },
    {
      name: 'a failing LevelDB directory is no cluster trouble',
      view: { database: { ...away, kind: 'leveldb' } },
      expected: [],
    },
  ])('the troubles of a member are derived: $name', ({ view, expected }) => {
    expect(clusterTroubles(aClusterView(view)).map(({ text }) => text)).toEqual(expected);
  });
});

test('a responding member that is not in the member list yet has no name', () => {
  const view = aClusterView({ member_id: 'web9-id', leader: { id: 'web8-id', since: 1, epoch: 1 } });
  expect(respondingMember(view)).toBeUndefined();
  expect(leaderName(view)).toBe('web8-id');
  expect(leaderName(aClusterView())).toBe('web1:4567');
  expect(leaderName(aClusterView({ leader: null }))).toBeUndefined();
});

const standing = (seq: number, hears: boolean): PeerStanding => ({ seq, hears_database: hears });

describe('the newest known position of a lost database', () => {
  test.each([
    { name: 'undefined if no member has responded', standings: [], expected: undefined },
    {
      name: 'undefined if all responding members have lost the writes too',
      standings: [standing(9, false)],
      expected: undefined,
    },
    {
      name: 'the highest position of the members that have not lost the writes',
      standings: [standing(7, true), standing(8, true), standing(9, false)],
      expected: 8,
    },
  ])('the newest known position of a lost database is derived: $name', ({ standings, expected }) => {
    expect(newestReportedSeq(standings)).toBe(expected);
  });
});
