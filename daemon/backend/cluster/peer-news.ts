import type { FastifyInstance } from 'fastify';
import { newestReportedSeq } from '../../../shared/domain/cluster.ts';
import { PEER_STANDING_PATH, peerStandingSchema, type PeerStanding } from '../../../shared/schemas/peer-standing.ts';
import { queryPeer } from './forwarding/query-peer.ts';
import type { PeerAddress } from './forwarding/leadership.ts';
import { PeerLink, type LinkDependencies } from './forwarding/peer-link.ts';

const QUERY_TIMEOUT_MS = 2000;

type PeerNewsDependencies = LinkDependencies;

/** Asks the other members for the newest write, if this member cannot reach the database. */
export class PeerNews {
  readonly #dependencies: PeerNewsDependencies;

  constructor(dependencies: PeerNewsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @returns the sequence number of the newest write, according to members that reach the database; undefined if no
   *   such member responded
   */
  async newest(peers: readonly PeerAddress[]): Promise<number | undefined> {
    const standings = await Promise.all(peers.map((peer) => this.#standingOf(peer).catch(() => undefined)));
    return newestReportedSeq(standings.filter((standing) => standing !== undefined));
  }

  async #standingOf(peer: PeerAddress): Promise<PeerStanding> {
    using link = new PeerLink(peer, this.#dependencies);
    const question = { method: 'GET', path: PEER_STANDING_PATH, limitMs: QUERY_TIMEOUT_MS };
    return peerStandingSchema.parse(JSON.parse((await queryPeer(link, question, this.#dependencies.clock)).text));
  }
}

/** Registers the route that returns the replication state of this member; only other members have access to it. */
export function serveStanding(app: FastifyInstance, standing: () => PeerStanding): void {
  app.get(PEER_STANDING_PATH, { config: { access: 'admin', isOfPeers: true, isOfItself: true } }, standing);
}
