import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  AGENT_PATH,
  AGENT_PROTOCOL,
  agentMessageSchema,
  type BackendMessage,
  type CheckRequest,
} from '../../shared/schemas/agent.ts';

interface Committed {
  readonly id: number;
  readonly check: Readonly<Record<string, unknown>>;
}

interface Script {
  readonly window?: number;
  /**
   * Decides for each results frame whether it is committed and acknowledged; default: always. After a frame that is not,
   * none is on that connection: a later one would overtake it.
   */
  readonly commits?: () => boolean;
  /** Answers `hello`; default: the highest id that was committed of the spool. */
  readonly acked?: (spool: string) => number;
  /** Answers the upgrade with this HTTP status instead. */
  readonly refuseWith?: () => number | undefined;
  /** What stands in that answer. */
  readonly refusal?: string;
}

/** A backend that speaks the agent protocol and does as the test says; it ignores ids that it has seen, like the real one. */
export class AgentBackend {
  readonly url: string;
  readonly hellos: Readonly<Record<string, unknown>>[] = [];
  readonly keepalives: Readonly<Record<string, unknown>>[] = [];
  /** Every result once, in the order of arrival. */
  readonly committed: Committed[] = [];
  /** Authorization headers of the upgrades. */
  readonly authorizations: (string | undefined)[] = [];
  /** Name and namespace in the headers of the upgrades. */
  readonly identities: unknown[] = [];
  /** Results in each frame. */
  readonly frameSizes: number[] = [];
  /** Of the results that carried one. */
  readonly signatures: string[] = [];
  /** Pings received. */
  pings = 0;
  readonly #script: Script;
  readonly #connections = new Set<WebSocket>();
  readonly #seen = new Map<string, number>();

  private constructor(url: string, script: Script) {
    this.url = url;
    this.#script = script;
  }

  /** Listens on a free port until the test is over. */
  static async open(script: Script = {}, port = 0): Promise<AgentBackend> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => AGENT_PROTOCOL });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    const backend = new AgentBackend(`http://127.0.0.1:${String(address.port)}`, script);
    server.on('upgrade', (request, socket, head) => {
      // The agent hangs up once it has read enough of a refusal.
      socket.on('error', () => socket.destroy());
      backend.authorizations.push(request.headers.authorization);
      backend.identities.push([request.headers['mon-agent-name'], request.headers['mon-namespace']]);
      const status = request.url === AGENT_PATH ? script.refuseWith?.() : 404;
      if (status !== undefined) {
        const { refusal = '' } = script;
        const length = String(Buffer.byteLength(refusal));
        socket.end(`HTTP/1.1 ${String(status)} No\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${refusal}`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (connection) => backend.#accept(connection));
    });
    onTestFinished(async () => {
      backend.drop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return backend;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Ids of what was committed, in the order of arrival. */
  get ids(): number[] {
    return this.committed.map(({ id }) => id);
  }

  /** What was committed of one check. */
  results(name: string): Readonly<Record<string, unknown>>[] {
    return this.committed.map(({ check }) => check).filter((check) => check['name'] === name);
  }

  request(check: CheckRequest): void {
    this.send({ type: 'check_request', check });
  }

  send(message: BackendMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(frame: string): void {
    for (const connection of this.#connections) connection.send(frame);
  }

  /** Cuts every connection without a goodbye. */
  drop(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  /** Closes every connection, and says why. */
  close(code: number, reason: string): void {
    for (const connection of this.#connections) connection.close(code, reason);
  }

  /** Stops answering, pings included, without closing anything. */
  freeze(): void {
    for (const connection of this.#connections) connection.pause();
  }

  #accept(connection: WebSocket): void {
    this.#connections.add(connection);
    let spool = '';
    let listens = true;
    connection.on('close', () => this.#connections.delete(connection));
    connection.on('error', () => connection.terminate());
    connection.on('ping', () => (this.pings += 1));
    connection.on('message', (data: Buffer) => {
      const message = agentMessageSchema.parse(JSON.parse(data.toString('utf8')));
      switch (message.type) {
        case 'hello': {
          spool = message.spool;
          this.hellos.push(message);
          const acked = this.#script.acked?.(spool) ?? this.#seen.get(spool) ?? 0;
          this.#answer(connection, { type: 'welcome', version: '0', acked, window: this.#script.window ?? 64 });
          break;
        }
        case 'keepalive':
          this.keepalives.push(message.client);
          break;
        case 'results':
          this.frameSizes.push(message.results.length);
          this.signatures.push(...message.results.flatMap(({ signature }) => signature ?? []));
          listens &&= this.#script.commits?.() ?? true;
          if (listens) this.#commit(connection, spool, message.results);
          break;
      }
    });
  }

  #commit(connection: WebSocket, spool: string, results: readonly Committed[]): void {
    let seen = this.#seen.get(spool) ?? 0;
    for (const { id, check } of results) {
      if (id <= seen) continue;
      this.committed.push({ id, check });
      seen = id;
    }
    this.#seen.set(spool, seen);
    this.#answer(connection, { type: 'ack', id: seen });
  }

  #answer(connection: WebSocket, message: BackendMessage): void {
    connection.send(JSON.stringify(message));
  }
}
