import { VERSION } from '../../../shared/schemas/version.ts';
import { openRuleWatch } from '../aggregates/rules.ts';
import { memberName } from '../cluster/member-name.ts';
import { Follower } from '../cluster/follower.ts';
import { Membership, type Self } from '../cluster/membership.ts';
import { PeerNews } from '../cluster/peer-news.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { ChangeLog } from '../feed/change-log.ts';
import type { Lease } from '../ports.ts';
import { isShared } from '../store/shared.ts';
import type { Teardown } from './teardown.ts';
import type { Ground } from './ground.ts';
import type { BackendOptions } from './options.ts';

interface MemberParts {
  readonly batcher: Batcher;
  readonly changes: ChangeLog;
  /** Begins what only the backend that writes does. */
  readonly startLeading: () => Promise<void>;
  readonly standDown: () => Promise<void>;
  /** Called when it begins or ceases to write. */
  readonly onTurn: () => void;
}

/** This backend among those that share its store; undefined: nobody can. */
export function openMembership(
  { config, store, lease, time, registry, clock, log }: Ground,
  { batcher, changes, startLeading, standDown, onTurn }: MemberParts,
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
    peers: new PeerNews({ secret: store.secret, clock }),
    batcher,
    time,
    follower,
    async lead(taken: Lease, seq: number) {
      await time.lead(taken);
      batcher.lead(taken, seq);
      await startLeading();
    },
    standDown,
    onTurn,
    staleAfter: () => config.program['stale-after'],
    clock,
    log,
    chance: Math.random,
  });
  // Whoever follows spares what the one that writes spares.
  registry.state(openRuleWatch).otherSinceMs = () => member.writtenSinceMs;
  return member;
}

/** How others reach this backend. */
export function selfOf(
  { config, tls }: Pick<Ground, 'config' | 'tls'>,
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
