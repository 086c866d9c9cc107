import { VERSION } from '../../../shared/schemas/version.ts';
import { openRuleWatch } from '../aggregates/rules.ts';
import { memberName } from '../cluster/member-name.ts';
import { Follower } from '../cluster/follower.ts';
import { PeerKeys } from '../cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../cluster/forwarding/proof/peer-signatures.ts';
import { Membership, type Self } from '../cluster/membership.ts';
import { PeerNews } from '../cluster/peer-news.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { ChangeLog } from '../feed/change-log.ts';
import type { Lease } from '../ports.ts';
import { isShared } from '../store/shared-store.ts';
import type { Teardown } from './teardown.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';

interface MemberParts {
  readonly signatures: PeerSignatures;
  readonly batcher: Batcher;
  readonly changes: ChangeLog;
  /** Starts the work that only the leader does. */
  readonly startLeading: () => Promise<void>;
  readonly standDown: () => Promise<void>;
  /** Called when this backend becomes or ceases to be the leader. */
  readonly onRoleChange: () => void;
}

/**
 * Opens the signatures by which this backend and those that share its store recognize each other; undefined: the store
 * cannot be shared.
 *
 * @param now reads a clock that all members share, epoch milliseconds
 */
export function openSignatures({ peerKey, store, log }: Foundation, now: () => number): PeerSignatures | undefined {
  if (!isShared(store)) return undefined;
  if (peerKey === undefined) {
    log.warn({ setting: 'peer-key-file' }, NO_PEER_KEY);
    return new PeerSignatures({ keys: PeerKeys.ofStore(store.secret, store.id), self: store.self, now });
  }
  const keys = PeerKeys.ofFile(peerKey, store.id);
  log.info({ peer_key: keys.id }, 'cluster members authenticate to each other with the peer key');
  return new PeerSignatures({ keys, self: store.self, now });
}

const NO_PEER_KEY =
  'members of the cluster authenticate with a secret in the database, which everyone who reads the database can use: ' +
  'set peer-key-file on all members, see docs/scale-out.md';

/** Opens this backend's membership in the cluster; undefined: the store cannot be shared. */
export function openMembership(
  { fixedLimits, store, lease, time, registry, clock, log }: Foundation,
  { signatures, batcher, changes, startLeading, standDown, onRoleChange }: MemberParts,
  teardown: Teardown,
): Membership | undefined {
  if (!isShared(store)) return undefined;
  const { commits } = batcher;
  const onReadAgain = (seq: number): void => changes.restartAfter(seq);
  const follower =
    lease === undefined
      ? teardown.use('following', new Follower(changes.lastSeq, { store, registry, commits, clock, log, onReadAgain }))
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
      await startLeading();
    },
    standDown,
    onRoleChange,
    lagSecondsMax: fixedLimits.followerLagSeconds,
    clock,
    log,
    random: Math.random,
  });
  // A follower excuses the same results as the leader does.
  registry.state(openRuleWatch).otherSinceMs = () => member.writtenSinceMs;
  return member;
}

/** Returns the identity and address of this backend for the other members. */
export function selfOf(
  { config, tls }: Pick<Foundation, 'config' | 'tls'>,
  { bind }: Pick<BackendOptions, 'bind'>,
  { url, host }: { readonly url: string; readonly host: string },
): Self {
  const { protocol, port } = new URL(url);
  const reached = isEveryAddress(bind) ? host : bind;
  return {
    name: memberName(host, url),
    url: config.program['peer-url'] ?? new URL(`${protocol}//${bracketed(reached)}:${port}`).origin,
    fingerprint: tls.of('api')?.fingerprint,
    version: VERSION,
  };
}

const isEveryAddress = (bind: string): boolean => bind === '0.0.0.0' || bind === '::';

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);
