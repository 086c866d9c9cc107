import { VERSION } from '../../../shared/schemas/version.ts';
import { openRuleWatch } from '../aggregates/rules.ts';
import { memberName } from '../cluster/member-name.ts';
import { Follower } from '../cluster/follower.ts';
import { PeerKeys } from '../cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../cluster/forwarding/proof/peer-signatures.ts';
import { Membership, type MemberIdentity } from '../cluster/membership.ts';
import { PeerNews } from '../cluster/peer-news.ts';
import { StandaloneCluster } from '../cluster/standalone-cluster.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { ChangeLog } from '../feed/change-log.ts';
import type { BackendStatus } from '../health/backend-status.ts';
import type { Clock, Lease } from '../ports.ts';
import { isShared, type SharedStore } from '../store/shared-store.ts';
import { ClusterClock } from './cluster-clock.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { Foundation } from './foundation.ts';
import type { LeaderRole } from './leader-role.ts';
import type { BackendOptions } from './options.ts';

const NO_PEER_KEY =
  'members of the cluster authenticate with a secret in the database, which everyone who reads the database can use: ' +
  'set peer-key-file on all members, see docs/scale-out.md';

interface MemberDependencies {
  readonly batcher: Batcher;
  readonly changes: ChangeLog;
  readonly leader: LeaderRole;
}

/** The membership of this backend in the cluster, and the object that signs its requests. */
export interface SharedCluster {
  readonly member: Membership;
  /** Signs requests to other members, and verifies their requests. */
  readonly signatures: PeerSignatures;
}

/** Creates the membership of this backend in the cluster. @returns undefined if the store is not a shared one */
export function openSharedCluster(
  foundation: Foundation,
  parts: MemberDependencies,
  teardown: Teardown<PartName>,
): SharedCluster | undefined {
  const { store, clock } = foundation;
  if (!isShared(store)) return undefined;
  const clusterClock = new ClusterClock(clock);
  const signatures = openSignatures(foundation, store, clusterClock);
  const member = openMembership(foundation, { ...parts, store, signatures }, teardown);
  clusterClock.connect(member);
  return { member, signatures };
}

function openSignatures({ peerKey, log }: Foundation, store: SharedStore, clock: Pick<Clock, 'now'>): PeerSignatures {
  const now = (): number => clock.now();
  if (peerKey === undefined) {
    log.warn({ setting: 'peer-key-file' }, NO_PEER_KEY);
    return new PeerSignatures({ keys: PeerKeys.ofStore(store.secret, store.id), self: store.self, now });
  }
  const keys = PeerKeys.ofFile(peerKey, store.id);
  log.info({ peer_key: keys.id }, 'cluster members authenticate to each other with the peer key');
  return new PeerSignatures({ keys, self: store.self, now });
}

function openMembership(
  { fixedLimits, lease, time, registry, clock, log }: Foundation,
  {
    store,
    signatures,
    batcher,
    changes,
    leader,
  }: MemberDependencies & { readonly store: SharedStore; readonly signatures: PeerSignatures },
  teardown: Teardown<PartName>,
): Membership {
  const { commits } = batcher;
  const onReadAgain = (seq: number): void => changes.restartAfter(seq);
  const follower =
    lease === undefined
      ? teardown.use(
          'following',
          new Follower(changes.lastSeq, { store, registry, commits, clock, log, onReload: onReadAgain }),
        )
      : undefined;
  const member = new Membership({
    store,
    peers: new PeerNews({ signatures, clock }),
    signatures,
    batcher,
    time,
    follower,
    async lead(taken: Lease, seq: number) {
      await time.lead(taken);
      batcher.lead(taken, seq);
      await leader.start();
    },
    stopLeading: () => leader[Symbol.asyncDispose](),
    onRoleChange: () => leader.announceChange(),
    lagSecondsMax: fixedLimits.followerLagSeconds,
    clock,
    log,
    random: Math.random,
  });
  // Aggregate rules count results as stale only some time after the leader has started, and a follower must use the
  // same start time.
  registry.state(openRuleWatch).otherSinceMs = () => member.leaderSinceMs;
  return member;
}

/** Returns the cluster of a backend that does not share its store. */
export function standaloneCluster(
  { database = { kind: 'leveldb', location: '' } }: BackendOptions,
  { store, lease, clock }: Foundation,
  { id, hostname }: BackendStatus,
): StandaloneCluster {
  return new StandaloneCluster({ id, hostname, database, store, epoch: lease?.epoch ?? 0, clock });
}

/** Announces this backend to the other members, now and regularly until teardown. */
export async function joinCluster(
  options: Pick<BackendOptions, 'bind'>,
  foundation: Foundation,
  { member, ...listener }: { readonly member: Membership; readonly url: string; readonly host: string },
  teardown: Teardown<PartName>,
): Promise<void> {
  teardown.use('membership', member);
  await member.join(() => selfOf(options, foundation, listener), foundation.lease);
}

/** Returns the name, URL and certificate fingerprint that this backend announces to the other members. */
function selfOf(
  { bind }: Pick<BackendOptions, 'bind'>,
  { config, tls }: Foundation,
  { url, host }: { readonly url: string; readonly host: string },
): MemberIdentity {
  const { protocol, port } = new URL(url);
  const reached = isEveryAddress(bind) ? host : bind;
  return {
    name: memberName(host, url),
    url: config.program['peer-url'] ?? new URL(`${protocol}//${bracketIpv6(reached)}:${port}`).origin,
    fingerprint: tls.tlsOfListener('api')?.fingerprint,
    version: VERSION,
  };
}

function isEveryAddress(bind: string): boolean {
  return bind === '0.0.0.0' || bind === '::';
}

function bracketIpv6(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
