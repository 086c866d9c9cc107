import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { z } from 'zod';
import {
  AGENT_PATH,
  AGENT_PROTOCOL,
  agentMessageSchema,
  type BackendMessage,
  type CheckRequest,
  type resultsMessageSchema,
  type DeltaResult,
} from '../../shared/schemas/agent.ts';

interface Committed {
  readonly id: number;
  readonly check: Readonly<Record<string, unknown>>;
}

type ResultsFrame = z.infer<typeof resultsMessageSchema>;

/** The state of one connection of an agent. */
interface AgentConnection {
  /** Id of the agent's spool; empty before the hello message. */
  spool: string;
  /** True while results of this connection are committed; false after the first rejected frame. */
  isCommitting: boolean;
  /** The last full result of each check that the agent may use as a baseline. */
  readonly baselines: Map<string, Committed>;
  /** Frames with results are ignored until one resumes after this id; `undefined` if none is ignored. */
  resumeAfter: number | undefined;
}

interface Script {
  readonly window?: number;
  /**
   * Decides whether a results frame is committed and acknowledged; default: always. After the first rejected frame, all
   * further frames of that connection are rejected, because they would overtake it.
   */
  readonly commits?: () => boolean;
  /** Decides whether the results of a frame become baselines; default: always. */
  readonly remembers?: () => boolean;
  /** Returns the acknowledged id for the welcome message; default: the highest committed id of the spool. */
  readonly acked?: (spool: string) => number;
  /** Returns an HTTP status with which the upgrade is rejected; `undefined` accepts it. */
  readonly refuseWith?: () => number | undefined;
  /** Body of the response that rejects an upgrade. */
  readonly refusal?: string;
}

/**
 * A server for the agent protocol that the test controls. Like a real backend, it ignores results with ids that it has
 * already committed.
 */
export class AgentBackend {
  readonly url: string;
  readonly hellos: Readonly<Record<string, unknown>>[] = [];
  readonly keepalives: Readonly<Record<string, unknown>>[] = [];
  /** All committed results in the order of arrival, deltas as full results. */
  readonly committed: Committed[] = [];
  /** Authorization header of each upgrade request. */
  readonly authorizations: (string | undefined)[] = [];
  /** Pairs of client name and namespace from the headers of each upgrade request. */
  readonly identities: unknown[] = [];
  /** Frames with results as the agents sent them, committed or not. */
  readonly frames: ResultsFrame[] = [];
  /** Number of pings received. */
  pings = 0;
  readonly #script: Script;
  readonly #lines = new Map<WebSocket, AgentConnection>();
  readonly #seen = new Map<string, number>();

  private constructor(url: string, script: Script) {
    this.url = url;
    this.#script = script;
  }

  /** Opens the server on `port`, or on a free port; it is closed when the test finishes. */
  static async open(script: Script = {}, port = 0): Promise<AgentBackend> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => AGENT_PROTOCOL });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    const backend = new AgentBackend(`http://127.0.0.1:${String(address.port)}`, script);
    server.on('upgrade', (request, socket, head) => {
      // The agent may close the connection before it has read the whole rejection.
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
    return this.#lines.size;
  }

  /** Number of results in each received frame. */
  get frameSizes(): number[] {
    return this.frames.map(({ results }) => results.length);
  }

  /** Signatures of all received results that have one. */
  get signatures(): string[] {
    return this.frames.flatMap(({ results }) =>
      results.flatMap((result) => ('check' in result ? (result.signature ?? []) : [])),
    );
  }

  /** Ids of the committed results in the order of arrival. */
  get ids(): number[] {
    return this.committed.map(({ id }) => id);
  }

  /** Returns the committed results of one check. */
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
    for (const connection of this.#lines.keys()) connection.send(frame);
  }

  /**
   * Drops all baselines, and ignores results until the agents have resumed.
   *
   * @returns a function that requests all agents to send again the results that were not committed
   */
  discardBaselines(): () => void {
    const welcomed = [...this.#lines].filter(([, { spool }]) => spool !== '');
    for (const [, line] of welcomed) {
      line.baselines.clear();
      line.resumeAfter = this.#seenOf(line);
    }
    return () => {
      for (const [connection, line] of welcomed) {
        this.#answer(connection, { type: 'resend', after: this.#seenOf(line) });
      }
    };
  }

  /** Terminates all connections without a close frame. */
  drop(): void {
    for (const connection of this.#lines.keys()) connection.terminate();
  }

  /** Closes all connections with this code and reason. */
  close(code: number, reason: string): void {
    for (const connection of this.#lines.keys()) connection.close(code, reason);
  }

  /** Stops reading from all connections without closing them, so that even pings get no response. */
  freeze(): void {
    for (const connection of this.#lines.keys()) connection.pause();
  }

  #accept(connection: WebSocket): void {
    const line: AgentConnection = { spool: '', isCommitting: true, baselines: new Map(), resumeAfter: undefined };
    this.#lines.set(connection, line);
    connection.on('close', () => this.#lines.delete(connection));
    connection.on('error', () => connection.terminate());
    connection.on('ping', () => (this.pings += 1));
    connection.on('message', (data: Buffer) => {
      const message = agentMessageSchema.parse(JSON.parse(data.toString('utf8')));
      switch (message.type) {
        case 'hello': {
          line.spool = message.spool;
          this.hellos.push(message);
          const acked = this.#script.acked?.(line.spool) ?? this.#seenOf(line);
          this.#answer(connection, { type: 'welcome', version: '0', acked, window: this.#script.window ?? 64 });
          break;
        }
        case 'keepalive':
          this.keepalives.push(message.client);
          break;
        case 'results':
          this.frames.push(message);
          if (line.resumeAfter !== undefined && line.resumeAfter !== message.resume_after) break;
          line.resumeAfter = undefined;
          line.isCommitting &&= this.#script.commits?.() ?? true;
          if (line.isCommitting) this.#commit(connection, line, message.results);
          break;
      }
    });
  }

  #commit(connection: WebSocket, line: AgentConnection, results: ResultsFrame['results']): void {
    let seen = this.#seenOf(line);
    const remembers = this.#script.remembers?.() ?? true;
    for (const result of results) {
      if (result.id <= seen) continue;
      seen = result.id;
      if ('check' in result) {
        const { id, check } = result;
        this.committed.push({ id, check });
        if (remembers && isBase(check)) line.baselines.set(keyOf(check), { id, check });
        else line.baselines.delete(keyOf(check));
      } else this.committed.push(withBaseline(result, line));
    }
    this.#seen.set(line.spool, seen);
    const ids = new Set(results.map(({ id }) => id));
    const baselines = [...line.baselines.values()].flatMap(({ id }) => (ids.has(id) ? id : []));
    this.#answer(connection, { type: 'ack', id: seen, ...(baselines.length > 0 && { baselines }) });
  }

  #seenOf({ spool }: AgentConnection): number {
    return this.#seen.get(spool) ?? 0;
  }

  #answer(connection: WebSocket, message: BackendMessage): void {
    connection.send(JSON.stringify(message));
  }
}

function isBase({ status, executed, issued }: Committed['check']): boolean {
  return status === 0 && Number.isInteger(executed) && Number.isInteger(issued);
}

function keyOf({ source, name }: Committed['check']): string {
  return JSON.stringify([source ?? null, name]);
}

/**
 * Returns the full result that a delta stands for.
 *
 * @throws Error if its baseline is unknown
 */
function withBaseline({ id, baseline: of, ...differences }: DeltaResult, { baselines }: AgentConnection): Committed {
  const baseline = [...baselines.values()].find((each) => each.id === of);
  if (baseline === undefined) throw new Error(`result ${String(id)} has the unknown baseline ${String(of)}`);
  return { id, check: { ...baseline.check, ...differences } };
}
