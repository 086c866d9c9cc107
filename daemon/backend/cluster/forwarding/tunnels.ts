import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { isErrorCode, MonError } from '../../../../shared/errors.ts';
import type { Callers } from '../../access/caller.ts';
import type { FrameProgress } from '../../http/peer.ts';
import type { Handshaking } from '../../sockets/upgrades.ts';
import { isSentOn, NO_MEMBER, type AdmittedPeers } from './admitted-peers.ts';
import type { Leadership } from './leadership.ts';
import { handshakeHeaders } from './peer-headers.ts';
import type { Upgraded } from './peer-channels.ts';
import type { WriterLinks } from './writer-links.ts';

interface TunnelParts {
  readonly leadership: Leadership;
  readonly links: WriterLinks;
  readonly peers: AdmittedPeers;
  readonly callers: Callers;
}

interface Tunnel {
  readonly agent: Socket;
  readonly writer: Socket;
}

/** The maximum number of bytes that are read of a rejecting response. */
const REFUSAL_BYTES_MAX = 16 * 1024;

const refusalSchema = z.object({ error: z.string(), code: z.string() });

/**
 * Connections of agents that end at this backend and are forwarded to the leader. Their content is not inspected; each
 * side applies the backpressure of the other.
 */
export class Tunnels {
  readonly #parts: TunnelParts;
  /** Open tunnels by the id of the backend to which they lead. */
  readonly #open = new Map<string, Set<Tunnel>>();

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Number of open tunnels. */
  get size(): number {
    let size = 0;
    for (const tunnels of this.#open.values()) size += tunnels.size;
    return size;
  }

  /**
   * Forwards the connection of an agent to the leader.
   *
   * @param path the path at which the leader accepts agents of its kind
   * @returns undefined: the agent belongs to this backend
   * @throws MonError as the leader rejects it; `unavailable` if there is no leader; the promise likewise
   */
  take(handshaking: Handshaking, path: string): Promise<void> | undefined {
    const { request } = handshaking;
    if (this.#parts.leadership.isWriter) return undefined;
    if (isSentOn(request)) throw new MonError('unavailable', 'another member is the leader');
    return this.#lead(handshaking, path);
  }

  /** Cuts the tunnels, so that agents reconnect, except those to the backend `but`, which is the leader now. */
  cut(but?: string): void {
    for (const [writerId, tunnels] of this.#open) {
      if (writerId === but) continue;
      for (const { agent, writer } of tunnels) {
        agent.destroy();
        writer.destroy();
      }
    }
  }

  async #lead({ request, socket, head, principal, speaksFrames }: Handshaking, path: string): Promise<void> {
    const { links, peers, callers } = this.#parts;
    const headers = {
      ...handshakeHeaders(request.headers),
      ...peers.headersOf(principal, callers.addressOf(request)),
    };
    const gone = new AbortController();
    const abort = (): void => gone.abort();
    socket.once('close', abort);
    const opened = await links.withWriter(
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

  #join(agent: Socket, { response, socket: writer, head }: Upgraded, writerId: string, agentHead: Buffer): void {
    const tunnel = { agent, writer };
    const tunnels = this.#open.get(writerId) ?? new Set();
    this.#open.set(writerId, tunnels.add(tunnel));
    // Each side ends after the other one has ended and its last data was sent.
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
 * Returns the frame counter of a tunnel. It is a separate function, so that its closure does not keep the handshake in
 * memory.
 */
function framesOf({ agent, writer }: Tunnel): FrameProgress {
  return {
    get doneBytes() {
      return agent.bytesRead - writer.writableLength;
    },
  };
}

/** Returns the head of the leader's response unchanged, because agent and leader negotiate it between them. */
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
  if (error === undefined || !isErrorCode(code) || error === NO_MEMBER) {
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
