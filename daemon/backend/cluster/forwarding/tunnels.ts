import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { isErrorCode, MonError } from '../../../../shared/errors.ts';
import type { CallerResolver } from '../../access/caller.ts';
import type { FrameProgress } from '../../http/peer.ts';
import type { PendingHandshake } from '../../sockets/upgrades.ts';
import { isFromMember, NOT_SIGNED_BY_MEMBER, type PeerAuthenticator } from './admitted-peers.ts';
import type { Leadership } from './leadership.ts';
import { handshakeHeaders } from './peer-headers.ts';
import type { UpgradedConnection } from './peer-channels.ts';
import type { LeaderLinks } from './writer-links.ts';

interface TunnelDependencies {
  readonly leadership: Leadership;
  readonly links: LeaderLinks;
  readonly peers: PeerAuthenticator;
  readonly callers: CallerResolver;
}

interface Tunnel {
  readonly agent: Socket;
  readonly writer: Socket;
}

/** Maximum number of bytes that are read from the body of a response that rejects a tunnel. */
const REFUSAL_BYTES_MAX = 16 * 1024;

const refusalSchema = z.object({ error: z.string(), code: z.string() });

/**
 * Tunnels through which this follower passes connections of agents to the leader. The content is not inspected, and if
 * one side reads slowly, the other side is slowed down too.
 */
export class Tunnels {
  readonly #dependencies: TunnelDependencies;
  /** Open tunnels, by the id of the leader that they lead to. */
  readonly #open = new Map<string, Set<Tunnel>>();

  constructor(dependencies: TunnelDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of open tunnels. */
  get size(): number {
    let size = 0;
    for (const tunnels of this.#open.values()) size += tunnels.size;
    return size;
  }

  /**
   * Passes the connection of an agent on to the leader.
   *
   * @param path the path at which the leader accepts agents with this protocol
   * @returns a promise that resolves when the tunnel is open; undefined if this backend is the leader and must serve
   *   the agent itself
   * @throws MonError (directly or as a rejected promise) `unavailable` if there is no leader or another member sent the
   *   agent here, `forbidden` if the leader cannot verify the agent, or the error with which the leader rejects it
   */
  forwardToLeader(handshaking: PendingHandshake, path: string): Promise<void> | undefined {
    const { request } = handshaking;
    if (this.#dependencies.leadership.isLeader) return undefined;
    if (isFromMember(request)) throw new MonError('unavailable', 'another member is the leader');
    return this.#openTunnel(handshaking, path);
  }

  /**
   * Closes tunnels, so that their agents reconnect.
   *
   * @param exceptLeaderId the id of the current leader, whose tunnels stay open; if undefined, all tunnels are closed
   */
  closeTunnels(exceptLeaderId?: string): void {
    for (const [writerId, tunnels] of this.#open) {
      if (writerId === exceptLeaderId) continue;
      for (const { agent, writer } of tunnels) {
        agent.destroy();
        writer.destroy();
      }
    }
  }

  async #openTunnel(
    { request, socket, head, principal, onFramesStarted: speaksFrames }: PendingHandshake,
    path: string,
  ): Promise<void> {
    const { links, peers, callers } = this.#dependencies;
    const headers = {
      ...handshakeHeaders(request.headers),
      ...peers.headersOf(principal, callers.addressOf(request)),
    };
    const gone = new AbortController();
    const abort = (): void => gone.abort();
    socket.once('close', abort);
    const opened = await links.withLeader(
      async (link) => ({
        writerId: link.address.id,
        answer: await link.upgrade({ method: 'GET', path, headers }, gone.signal),
      }),
      gone.signal,
    );
    socket.off('close', abort);
    if (opened === 'self') throw new MonError('unavailable', 'this member is the leader now: reconnect');
    const { writerId, answer } = opened;
    if ('refusal' in answer) throw await refusalOf(answer.refusal);
    const { socket: writer } = answer;
    if (socket.destroyed) {
      writer.destroy();
      return;
    }
    this.#join(socket, answer, writerId, head);
    speaksFrames(framesOf({ agent: socket, writer }));
  }

  #join(
    agent: Socket,
    { response, socket: writer, head }: UpgradedConnection,
    writerId: string,
    agentHead: Buffer,
  ): void {
    const tunnel = { agent, writer };
    const tunnels = this.#open.get(writerId) ?? new Set();
    this.#open.set(writerId, tunnels.add(tunnel));
    // When one side has closed, the other side closes after its remaining data was sent.
    writer.on('error', () => writer.destroy());
    writer.once('close', () => agent.destroySoon());
    agent.once('close', () => {
      writer.destroySoon();
      tunnels.delete(tunnel);
      if (tunnels.size === 0) this.#open.delete(writerId);
    });
    agent.setNoDelay(true);
    agent.write(headOf(response));
    agent.write(head);
    writer.write(agentHead);
    agent.pipe(writer);
    writer.pipe(agent);
  }
}

/**
 * Returns an object that counts the bytes of an agent that were passed on to the leader. A separate function, so that
 * the returned object does not keep the HTTP handshake in memory.
 */
function framesOf({ agent, writer }: Tunnel): FrameProgress {
  return {
    get completedBytes() {
      return agent.bytesRead - writer.writableLength;
    },
  };
}

/**
 * Returns the HTTP status line and headers of the leader's response, unchanged, because the agent negotiates the
 * protocol with the leader.
 */
function headOf({ statusCode = 101, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${String(statusCode)} ${STATUS_CODES[statusCode] ?? ''}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

async function refusalOf(response: IncomingMessage): Promise<MonError> {
  const refusal = await readRefusal(response).catch(() => undefined);
  const { error, code } = refusal ?? {};
  if (error === undefined || !isErrorCode(code) || error === NOT_SIGNED_BY_MEMBER) {
    return new MonError(
      'unavailable',
      'the leader does not accept agents from this member: see the log of this member',
    );
  }
  return new MonError(code, error);
}

async function readRefusal(response: IncomingMessage): Promise<z.output<typeof refusalSchema> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REFUSAL_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return refusalSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString())).data;
}
