import { describe, expect, onTestFinished, test } from 'vitest';
import type { Principal } from '../../../../daemon/backend/access/principal.ts';
import { Namespaces } from '../../../../daemon/backend/namespaces/commands.ts';
import type { StoredPlan } from '../../../../daemon/backend/model/plans/state.ts';
import { openFeed } from '../../../../shared/client/feed-client.ts';
import type { PlanRun } from '../../../../shared/schemas/plan-run.ts';
import { FeedRecorder } from '../../../support/feed-recorder.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { FeedRig } from '../../../support/feed-rig.ts';
import { savePlan } from '../../../../daemon/backend/plans/commands.ts';

const ACTOR = { who: 'ops', from: null, how: 'test' };
const KEPT: Principal = { name: 'ada', scopes: new Set(['read']), via: 'key', namespace: 'team-a' };

function aPlan(id: number): StoredPlan {
  const runbook: PlanRun = {
    id,
    revision: 1,
    from: '5.0.0',
    to: '6.0.0',
    created_at: 0,
    created_by: 'ops',
    state: 'done',
    holder: null,
    verdict: 'pass',
    findings: [],
    steps: [],
    backup: null,
    entities: null,
    log: [],
  };
  return { plan: runbook, facts: {} };
}

/** Opens a backend with the namespaces `team-a` and `team-b`. */
async function openRig(principal?: Principal): Promise<FeedRig> {
  const rig = await FeedRig.open(undefined, principal);
  const namespaces = new Namespaces(rig.batcher);
  for (const name of ['team-a', 'team-b']) await namespaces.put(name, () => undefined, ACTOR);
  return rig;
}

async function fails(rig: FeedRig, namespace: string, source: string, status = 2): Promise<void> {
  await rig.results.submit(namespace, [{ source, name: 'disk', output: 'full', status }]);
}

async function openLivePeer(rig: FeedRig, about: Parameters<typeof FeedPeer.subscribe>[1] = {}): Promise<FeedPeer> {
  const peer = await FeedPeer.subscribe(rig.url, { topics: ['events', 'silenced', 'clients'], ...about });
  await rig.until(() => expect(peer.all('live')).toHaveLength(1));
  return peer;
}

const keys = ({ replica: { events, silenced, clients } }: FeedPeer): readonly string[] => [
  ...events.keys(),
  ...silenced.keys(),
  ...clients.keys(),
];

test('a feed consumer gets the rows of the namespace that it names', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  await fails(rig, 'default', 'db-1');
  await rig.silenced.create('team-a', { check: 'disk' });
  const peer = await openLivePeer(rig, { namespace: 'team-a' });
  expect(keys(peer)).toEqual(['web-1/disk', '*:disk', 'web-1']);
  expect(peer.replica.events.get('web-1/disk')).toMatchObject({ client: 'web-1', silenced_by: ['*:disk'] });
  expect(peer.replica.events.get('web-1/disk')).not.toHaveProperty('namespace');
  await fails(rig, 'default', 'db-2');
  await fails(rig, 'team-a', 'web-2');
  await rig.until(() => expect(keys(peer)).toEqual(['web-1/disk', 'web-2/disk', '*:disk', 'web-1', 'web-2']));
});

test('a consumer that names no namespace gets the rows of default, without the name of the namespace', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  await fails(rig, 'default', 'db-1');
  const [unnamed, named] = [await openLivePeer(rig), await openLivePeer(rig, { namespace: 'default' })];
  await fails(rig, 'default', 'db-1', 1);
  await fails(rig, 'team-a', 'web-1', 1);
  for (const peer of [unnamed, named]) {
    await rig.until(() => expect(peer.replica.events.get('db-1/disk')?.status).toBe(1));
    expect(keys(peer)).toEqual(['db-1/disk', 'db-1']);
    expect(peer.replica.clients.get('db-1')).not.toHaveProperty('namespace');
  }
  expect(unnamed.all('snapshot')).toEqual(named.all('snapshot'));
});

test('a consumer of all namespaces gets rows with the name of their namespace, also for new and deleted rows', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  await fails(rig, 'default', 'web-1', 1);
  await rig.silenced.create('team-b', { subscription: 'linux' });
  const peer = await openLivePeer(rig, { namespace: '*' });
  expect(Object.fromEntries(peer.replica.events)).toMatchObject({
    'team-a/web-1/disk': { namespace: 'team-a', client: 'web-1', status: 2 },
    'default/web-1/disk': { namespace: 'default', client: 'web-1', status: 1 },
  });
  expect(peer.replica.silenced.get('team-b/linux:*')).toMatchObject({ namespace: 'team-b', id: 'linux:*' });
  const namespaces = new Namespaces(rig.batcher);
  await namespaces.put('team-c', () => undefined, ACTOR);
  await fails(rig, 'team-c', 'web-1');
  await rig.until(() => expect(peer.replica.clients.get('team-c/web-1')).toMatchObject({ namespace: 'team-c' }));
  await rig.clients.remove('team-c', 'web-1', { expireSeconds: undefined });
  await namespaces.remove('team-c', () => undefined, ACTOR);
  await rig.until(() => expect(keys(peer).filter((key) => key.startsWith('team-c/'))).toEqual([]));
  // Reading the changes of the deleted namespace did not create it again.
  expect(rig.registry.findNamespace('team-c')).toBeUndefined();
});

test('a filter on the feed of all namespaces adds rows that begin to match and removes rows that no longer match', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  await fails(rig, 'team-b', 'web-1', 1);
  const peer = await openLivePeer(rig, { topics: ['events'], namespace: '*', filter: 'status=crit' });
  expect(keys(peer)).toEqual(['team-a/web-1/disk']);
  await fails(rig, 'team-b', 'web-1');
  await rig.until(() => expect(keys(peer)).toEqual(['team-a/web-1/disk', 'team-b/web-1/disk']));
  await fails(rig, 'team-a', 'web-1', 1);
  await rig.until(() => expect(keys(peer)).toEqual(['team-b/web-1/disk']));
});

test('a consumer of one namespace that resumes gets only the changes in that namespace', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  const { seq } = await (await openLivePeer(rig, { namespace: 'team-a' })).hears('live');
  await fails(rig, 'default', 'db-1');
  await fails(rig, 'team-a', 'web-2');
  const about = { namespace: 'team-a', since: seq, store: rig.store.id };
  const after = await openLivePeer(rig, about);
  expect(after.heard.map(({ type }) => type)).toEqual(['hello', 'changes', 'live']);
  expect(keys(after)).toEqual(['web-2/disk', 'web-2']);
});

test('thousands of changes in other namespaces do not cause a reset for a consumer that resumes', async () => {
  const rig = await openRig();
  const { seq } = await (await openLivePeer(rig, { namespace: 'team-a' })).hears('live');
  const fleet = Array.from({ length: 30_000 }, (_, at) => ({
    source: `c-${String(at)}`,
    name: 'disk',
    output: '',
    status: 2,
  }));
  await rig.results.submit('default', fleet);
  await fails(rig, 'team-a', 'web-1');
  const back = { since: seq, store: rig.store.id };
  const here = await openLivePeer(rig, { namespace: 'team-a', ...back });
  expect(here.all('reset')).toEqual([]);
  const everywhere = await openLivePeer(rig, { namespace: '*', ...back });
  expect(everywhere.all('reset')).toHaveLength(1);
});

test('statistics on the feed include only the namespaces that the user may read', async () => {
  const rig = await openRig();
  await fails(rig, 'team-a', 'web-1');
  await fails(rig, 'team-b', 'web-1', 1);
  await fails(rig, 'default', 'db-1', 0);
  const peers = [];
  for (const namespace of ['team-a', 'default', '*']) peers.push(await openLivePeer(rig, { namespace }));
  const figures = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  rig.clock.advance(1000);
  expect(await Promise.all(peers.map(async (peer) => (await peer.hears('stats')).stats))).toMatchObject([
    { results: { ...figures, critical: 1 }, clients: 1 },
    { results: { ...figures, ok: 1 }, clients: 1 },
    { results: { ok: 1, warning: 1, critical: 1, unknown: 0 }, clients: 3 },
  ]);
});

test('a transport on the feed sends only messages of the namespaces that the user may read', async () => {
  const rig = await openRig();
  const about = { topics: [], transports: ['alerts'] };
  const [here, everywhere] = [await openLivePeer(rig, about), await openLivePeer(rig, { ...about, namespace: '*' })];
  rig.hub.publish('alerts', 'team-a', 'there');
  rig.hub.publish('alerts', 'default', 'here');
  await rig.until(() => expect(everywhere.all('message').map(({ data }) => data)).toEqual(['there', 'here']));
  expect(here.all('message').map(({ data }) => data)).toEqual(['here']);
});

describe('a user limited to one namespace', () => {
  test('a user limited to one namespace gets only its rows, by its name or by requesting all namespaces', async () => {
    const rig = await openRig(KEPT);
    await fails(rig, 'team-a', 'web-1');
    await fails(rig, 'team-b', 'web-1');
    expect(keys(await openLivePeer(rig, { namespace: 'team-a' }))).toEqual(['web-1/disk', 'web-1']);
    const all = await openLivePeer(rig, { namespace: '*' });
    expect(keys(all)).toEqual(['team-a/web-1/disk', 'team-a/web-1']);
    await fails(rig, 'team-b', 'web-2');
    await fails(rig, 'team-a', 'web-2');
    await rig.until(() => expect(all.replica.events.has('team-a/web-2/disk')).toBe(true));
    expect(keys(all).filter((key) => key.startsWith('team-b'))).toEqual([]);
    rig.clock.advance(1000);
    expect((await all.hears('stats')).stats.clients).toBe(2);
  });

  test.each([
    { namespace: undefined, plans: ['1', '2'] },
    { namespace: 'default', plans: ['1', '2'] },
    { namespace: 'team-a', plans: [] },
  ])(
    'the feed sends upgrade plans to a user limited to no namespace or to default only: $namespace',
    async ({ namespace, plans }) => {
      const rig = await openRig({ ...KEPT, namespace });
      await rig.batcher.run((transaction) => void savePlan(transaction, aPlan(1)));
      const peer = await openLivePeer(rig, { topics: ['upgrades', 'clients'], namespace: namespace ?? 'team-b' });
      await rig.batcher.run((transaction) => void savePlan(transaction, aPlan(2)));
      await fails(rig, namespace ?? 'team-b', 'last');
      await rig.until(() => expect(peer.replica.clients.size).toBe(1));
      expect([...peer.replica.upgrades.keys()]).toEqual(plans);
    },
  );

  test.each(['team-b', undefined, 'nowhere'])(
    'the feed rejects a user limited to another namespace who requests %s',
    async (namespace) => {
      const rig = await openRig(KEPT);
      const peer = await FeedPeer.subscribe(rig.url, namespace === undefined ? {} : { namespace });
      expect(await peer.hears('error')).toEqual({
        type: 'error',
        code: 'forbidden',
        message: `ada is limited to the namespace team-a and cannot access ${namespace ?? 'default'}: use team-a`,
      });
      expect(await peer.ends()).toEqual({ code: 1008, reason: 'forbidden' });
    },
  );
});

test('the feed rejects a request for an unknown namespace with not_found', async () => {
  const rig = await openRig();
  const peer = await FeedPeer.subscribe(rig.url, { namespace: 'nowhere' });
  expect(await peer.hears('error')).toMatchObject({
    code: 'not_found',
    message: 'namespace "nowhere" not found',
  });
});

test.each([
  { change: 'now limited to one namespace', before: undefined, after: 'team-a', seen: ['team-a'] },
  { change: 'no longer limited', before: 'team-a', after: undefined, seen: ['team-a', 'team-b'] },
  { change: 'limited to another namespace', before: 'team-a', after: 'team-b', seen: ['team-b'] },
])(
  'a feed that reconnects after its user is $change starts over with a new snapshot',
  async ({ before, after, seen }) => {
    const rig = await openRig({ ...KEPT, namespace: before });
    for (const namespace of ['team-a', 'team-b']) await fails(rig, namespace, 'web-1');
    const recorder = new FeedRecorder();
    const feed = openFeed({ backend: rig.url, topics: ['events'], namespace: '*', env: {} }, recorder);
    onTestFinished(() => feed.close());
    await rig.until(() => expect(recorder.path).toBe('connecting syncing live'));
    rig.principal = { ...KEPT, namespace: after };
    feed.reconnect();
    await rig.until(() => expect(recorder.path).toMatch(/live connecting .*live$/));
    expect([...recorder.replica.events.keys()]).toEqual(seen.map((namespace) => `${namespace}/web-1/disk`));
  },
);
