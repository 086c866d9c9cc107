import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { isErrorCode, MonError } from '../../../../shared/errors.ts';
import type { Callers } from '../../access/caller.ts';
import type { Frames } from '../../http/peer.ts';
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

/** Longest refusal that is read, bytes. */
const REFUSAL_BYTES_MAX = 16 * 1024;

const refusalSchema = z.object({ error: z.string(), code: z.string() });

/**
 * Connections of agents that end at this backend and are taken on to the one that writes. What they say is not looked at;
 * what one side does not take, the other does not get rid of.
 */
export class Tunnels {
  readonly #parts: TunnelParts;
  /** By the id of the backend that they lead to. */
  readonly #open = new Map<string, Set<Tunnel>>();

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Tunnels now. */
  get size(): number {
    let size = 0;
    for (const tunnels of this.#open.values()) size += tunnels.size;
    return size;
  }

  /**
   * Takes an agent to the backend that writes.
   *
   * @param path where agents of its kind are let in there
   * @returns undefined: it is for this backend
   * @throws MonError as that one refuses it; `unavailable` when there is none; the promise likewise
   */
  take(handshaking: Handshaking, path: string): Promise<void> | undefined {
    const { request } = handshaking;
    if (this.#parts.leadership.isWriter) return undefined;
    if (isSentOn(request)) throw new MonError('unavailable', 'another member is the leader');
    return this.#lead(handshaking, path);
  }

  /** Cuts them, so that agents come again: but for those to this backend, which writes now. */
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
        writerId: link.place.id,
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
    // Each ends when the other one has, with what was still said.
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

/** Apart from the handshake, which it would keep in memory. */
function framesOf({ agent, writer }: Tunnel): Frames {
  return {
    get doneBytes() {
      return agent.bytesRead - writer.writableLength;
    },
  };
}

/** As it came: what agents and backend agree on is theirs. */
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
    return new MonError('unavailable', 'the leader does not accept agents from this member: see its log');
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
