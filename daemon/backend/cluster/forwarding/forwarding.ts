import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import type { Actor } from '../../../../shared/schemas/audit.ts';
import type { Log } from '../../../log/log.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { CallerResolver } from '../../access/caller.ts';
import type { Audit } from '../../model/audit/mutations.ts';
import type { RequestForwarding } from '../../http/forwarding.ts';
import type { Clock } from '../../ports.ts';
import { requestPath, type UpgradeGuard, type ForwardPeer } from '../../sockets/upgrades.ts';
import { PeerAuthenticator, isFromMember } from './admitted-peers.ts';
import { ChannelAcceptor, type ConnectionServices } from './channel-door.ts';
import { ForwardedRequests } from './forwarded-requests.ts';
import type { Leadership } from './leadership.ts';
import { V2_AGENT_TUNNEL_PATH } from './peer-headers.ts';
import type { PeerSignatures } from './proof/peer-signatures.ts';
import { Tunnels } from './tunnels.ts';
import { LeaderLinks } from './writer-links.ts';

export interface ForwardingDependencies {
  readonly leadership: Leadership;
  /** Signs requests to other members, and verifies the requests of other members. */
  readonly signatures: PeerSignatures;
  /** The audit trail; it records requests of local administrators that another member forwards. */
  readonly audit: Pick<Audit, 'record'>;
  readonly authenticator: Authenticator;
  readonly callers: CallerResolver;
  readonly clock: Clock;
  readonly log: Log;
}

/** Forwards requests and agent connections from a follower to the leader. Dispose of the listeners first. */
export class Forwarding implements RequestForwarding, Disposable {
  readonly #dependencies: Pick<ForwardingDependencies, 'leadership' | 'audit' | 'clock' | 'log'>;
  readonly #links: LeaderLinks;
  readonly #peers: PeerAuthenticator;
  readonly #requests: ForwardedRequests;
  readonly #tunnels: Tunnels;
  #closeOwnAgents: (() => void) | undefined;

  constructor({ leadership, audit, clock, log, ...parts }: ForwardingDependencies) {
    this.#dependencies = { leadership, audit, clock, log };
    const { signatures } = parts;
    const links = new LeaderLinks({ leadership, signatures, clock, log }, (writerId) =>
      this.#tunnels.closeTunnels(writerId),
    );
    const peers = new PeerAuthenticator({ ...parts, clock, log });
    this.#links = links;
    this.#peers = peers;
    this.#requests = new ForwardedRequests({ leadership, links, peers, audit, log });
    this.#tunnels = new Tunnels({ leadership, links, peers, callers: parts.callers });
  }

  /** Number of API requests that this backend has forwarded to the leader, since the start. */
  get requests(): number {
    return this.#requests.count;
  }

  /** Number of agents whose connections this backend forwards to the leader through tunnels. */
  get agents(): number {
    return this.#tunnels.size;
  }

  receive(app: FastifyInstance): void {
    this.#requests.receive(app);
  }

  forward(app: FastifyInstance, isOfV2: boolean): void {
    this.#requests.forward(app, isOfV2);
  }

  /**
   * Returns a guard that authenticates upgrade requests of other members, and passes all other requests to the guard
   * `own`.
   */
  guard(own: UpgradeGuard): UpgradeGuard {
    return (request) => {
      if (isFromMember(request)) return this.#admitForwardedPeer(request);
      const path = requestPath(request);
      if (path === V2_AGENT_TUNNEL_PATH) throw new MonError('not_found', `there is no WebSocket endpoint at ${path}`);
      return own(request);
    };
  }

  /** Accepts the tunnels of other members. Dispose of the result after the tunnels were closed gracefully. */
  acceptChannels(served: ConnectionServices): ChannelAcceptor {
    return new ChannelAcceptor({ ...served, ...this.#dependencies, peers: this.#peers });
  }

  /** Returns a function that passes agents on to the leader. @param path the path at which the leader accepts them */
  forwarderTo(path: string): ForwardPeer {
    return (handshaking) => this.#tunnels.forwardToLeader(handshaking, path);
  }

  /** @param close callback that closes the connections of agents that this backend serves itself */
  watchAgents(close: () => void): void {
    this.#closeOwnAgents = close;
  }

  /**
   * Closes all agent connections, so that the agents reconnect to the current leader. Call it when this backend becomes
   * the leader or ceases to be the leader.
   */
  closeAgents(): void {
    this.cutTunnels();
    this.#closeOwnAgents?.();
  }

  /** Closes all tunnels through this backend, and the connections of the agents that use them. */
  cutTunnels(): void {
    this.#tunnels.closeTunnels();
  }

  [Symbol.dispose](): void {
    this.cutTunnels();
    this.#links[Symbol.dispose]();
  }

  /** Records in the audit trail that a local administrator of another member opened a connection. */
  async #recordLocal(
    request: Parameters<UpgradeGuard>[0],
    actor: Pick<Actor, 'who' | 'from'>,
    member: string,
  ): Promise<void> {
    const target = requestPath(request);
    await this.#dependencies.audit.record(
      { ...actor, how: `GET ${target}` },
      { action: 'cluster.local-administrator', target, after: { member } },
    );
  }

  async #admitForwardedPeer(request: Parameters<UpgradeGuard>[0]): Promise<Awaited<ReturnType<UpgradeGuard>>> {
    const member = await this.#peers.authenticateMember(request);
    if (!this.#dependencies.leadership.isLeader) throw new MonError('unavailable', 'another member is the leader');
    const { principal, caller } = await this.#peers.senderOf(request);
    if (principal.via === 'local') await this.#recordLocal(request, { who: principal.name, from: caller }, member);
    return principal;
  }
}
