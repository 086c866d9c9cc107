import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { CHANNELS_PROTOCOL } from '../../http/http-server.ts';
import type { Connections } from '../../http/connections.ts';
import type { SlowPeers } from '../../http/slow-peers.ts';
import type { Clock } from '../../ports.ts';
import { requestPath, type OtherProtocol } from '../../sockets/upgrades.ts';
import { Channels } from '../channels/channels.ts';
import type { PeerAuthenticator } from './admitted-peers.ts';
import type { Leadership } from './leadership.ts';
import { CHANNELS_PATH } from './peer-headers.ts';

/** The components that serve the connections of a listener, and in the same way the channels of other members. */
export interface ConnectionServices {
  /** The HTTP server that also handles requests which arrive on a channel. */
  readonly server: Server;
  readonly connections: Connections;
  readonly slowPeers: SlowPeers;
}

interface ChannelDoorDependencies extends ConnectionServices {
  readonly leadership: Leadership;
  readonly peers: PeerAuthenticator;
  readonly clock: Clock;
  readonly log: Log;
}

/** Accepts the connections on which other members open their tunnels as channels. */
export class ChannelAcceptor implements OtherProtocol, Disposable {
  readonly protocol = CHANNELS_PROTOCOL;
  readonly #dependencies: ChannelDoorDependencies;
  readonly #open = new Set<Channels>();

  constructor(dependencies: ChannelDoorDependencies) {
    this.#dependencies = dependencies;
  }

  async accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { leadership, peers, slowPeers, server, connections, clock } = this.#dependencies;
    if (requestPath(request) !== CHANNELS_PATH)
      throw new MonError(
        'not_found',
        `${requestPath(request)} does not accept connections of cluster members: check the address of this member`,
      );
    await peers.authenticateMember(request);
    if (!leadership.isLeader) throw new MonError('unavailable', 'another member is the leader');
    if (socket.destroyed) return;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${CHANNELS_PROTOCOL}\r\n\r\n`);
    // All data of this connection is treated as processed, because slow readers are detected for each channel
    // separately.
    slowPeers.peerOf(socket)?.onFramesStarted({
      get completedBytes() {
        return socket.bytesRead;
      },
    });
    const channels = new Channels(socket, head, {
      accept: (channel) => connections.serve(server, channel),
      clock,
      onClose: (error) => {
        this.#open.delete(channels);
        if (error !== undefined) this.#logClosure(socket, error);
      },
    });
    this.#open.add(channels);
  }

  /** Closes all connections that carry channels. Otherwise a listener that is being closed would wait for them. */
  [Symbol.dispose](): void {
    for (const channels of this.#open) channels[Symbol.dispose]();
  }

  #logClosure({ remoteAddress: address }: Socket, { message: reason }: Error): void {
    this.#dependencies.log.warn(
      { address, reason },
      'closed the connection of another cluster member: run the same version on all members',
    );
  }
}
