import { expect, onTestFinished, test } from 'vitest';
import { openRig } from '../support/console-rig.ts';
import { startFeedServer } from '../support/feed-server.ts';
import { startBackend } from '../support/running-backend.ts';
import { aClusterView, aMember, SimulatedCluster } from '../support/simulated-cluster.ts';

test('the console with a real cluster shows its members, shows trouble in the header and does a handover', async () => {
  const view = aClusterView({ members: [aMember('web1', { role: 'leader' }), aMember('web2')] });
  const cluster = new SimulatedCluster(view);
  const backend = await startBackend({ cluster });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const scripted = await startFeedServer();
  const rig = await openRig({ server: { ...scripted, url: backend.url } });
  await rig.shows('LIVE');
  rig.type(':cluster\r');
  await rig.shows(/web1:4567 +leader +ok/, 'postgres://db-1:5432,db-2:5432/mon');
  rig.type('jHy');
  await rig.shows('web2:4567 became the leader', /web2:4567 +leader/);
  expect(cluster.handedTo).toEqual(['web2-id']);
  cluster.current = { ...cluster.current, leader: null };
  rig.type('2');
  await rig.pass(400);
  await rig.pass(5000);
  await rig.shows('no leader: writes wait');
});

test('a backend without a cluster shows one member, cannot hand over and is not polled for the header', async () => {
  const backend = await startBackend();
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const scripted = await startFeedServer();
  const rig = await openRig({ server: { ...scripted, url: backend.url } });
  await rig.shows('LIVE');
  rig.type(':cluster\r');
  await rig.shows('1 of 1 member shown', 'leveldb');
  rig.type('H');
  await rig.shows('there is no other member: this backend uses a LevelDB store');
  expect(rig.screen.text).not.toContain('Hand over leadership to');
});
