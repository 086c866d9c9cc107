import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { snapshotInColumns } from '../../shared/domain/event-columns.ts';
import { feedRequestSchema, type FeedRequest } from '../../shared/schemas/feed-request.ts';
import { FEED_PATH, FEED_PROTOCOL, type FeedMessage } from '../../shared/schemas/feed.ts';

type Subscribe = Extract<FeedRequest, { type: 'subscribe' }>;

/** The hello message of every scripted server. It is constant, so that screens and expectations are too. */
export const FEED_HELLO: Extract<FeedMessage, { type: 'hello' }> = {
  type: 'hello',
  version: '1.0.0',
  store: 'store-1',
  name: 'scripted',
  time: Date.UTC(2026, 10, 20, 12),
  columns: true,
};

/** The server's side of a connection to the feed. */
export interface FeedConnection {
  readonly headers: IncomingHttpHeaders;
  /** All messages that the client has sent so far. */
  readonly received: readonly FeedRequest[];
  /** Waits until the client has subscribed, and returns its request. */
  subscribed(): Promise<Subscribe>;
  /** Sends messages, with snapshots in columns if the client requested that. */
  send(...messages: readonly FeedMessage[]): void;
  /** Sends any frame, including frames that a real backend never sends. */
  sendRaw(frame: string | Uint8Array): void;
  /** Terminates the connection without a close frame, as a broken network does. */
  cut(): void;
  readonly isOpen: boolean;
}

export interface FeedServer {
  /** URL that clients use as the address of their backend. */
  readonly url: string;
  readonly connections: readonly FeedConnection[];
  /** Waits for the connection with this index (from 0), and returns it. */
  connection(index: number): Promise<FeedConnection>;
  /** Rejects all further connections with this HTTP status; `undefined` accepts them again. */
  refuse(status: number | undefined): void;
  /** Number of connection attempts so far, including the rejected ones. */
  readonly attempts: number;
  close(): Promise<void>;
}

export interface FeedServerOptions {
  /** The first message that each client gets; `null` for none. Default: `FEED_HELLO`. */
  readonly hello?: FeedMessage | null;
  /**
   * Called for each connection when its client has subscribed. If omitted, the test sends messages with `connections`.
   */
  readonly onSubscribe?: (connection: FeedConnection, subscribe: Subscribe) => void;
  /**
   * Called for subscriptions to groups or inhibitions, which `connections` does not include. If omitted, they are
   * rejected, as by a backend that does not know these topics.
   */
  readonly onNoise?: (connection: FeedConnection, subscribe: Subscribe) => void;
  /** Handles HTTP requests other than the feed's upgrades. Default: status 404. */
  readonly http?: RequestListener;
  /** Whether pings get a response. Default: true; false simulates a backend that hangs. */
  readonly answerPings?: boolean;
  readonly port?: number;
}

/** Starts an HTTP server on a loopback address whose feed the test controls. It is closed when the test finishes. */
export async function startFeedServer(options: FeedServerOptions = {}): Promise<FeedServer> {
  const { hello = FEED_HELLO, onSubscribe, onNoise, answerPings = true } = options;
  const connections: ScriptedConnection[] = [];
  let attempts = 0;
  let refusal: number | undefined;

  const http = createServer(options.http ?? ((_, response) => void response.writeHead(404).end()));
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => FEED_PROTOCOL });
  http.on('upgrade', (request, socket, head) => {
    attempts += 1;
    const status = request.url === FEED_PATH ? refusal : 404;
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${String(status)} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new ScriptedConnection(webSocket, request.headers, answerPings);
      if (hello !== null) connection.send(hello);
      connections.push(connection);
      connection.onSubscribe = (subscribe) => {
        if (!subscribe.topics.some((topic) => topic === 'groups' || topic === 'inhibitions')) {
          return onSubscribe?.(connection, subscribe);
        }
        connections.splice(connections.indexOf(connection), 1);
        if (onNoise !== undefined) return onNoise(connection, subscribe);
        connection.send({ type: 'error', code: 'invalid', message: 'topics: Invalid option' });
      };
    });
  });
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted server has no port');

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    for (const connection of connections) connection.cut();
    http.closeAllConnections();
    await new Promise((resolve) => void http.close(resolve));
  };
  const server: FeedServer = {
    url: `http://127.0.0.1:${String(address.port)}`,
    connections,
    get attempts() {
      return attempts;
    },
    async connection(index) {
      return await vi.waitFor(() => {
        const connection = connections[index];
        if (connection === undefined)
          throw new Error(`no connection ${String(index)} yet, ${String(attempts)} attempts`);
        return connection;
      });
    },
    refuse(status) {
      refusal = status;
    },
    close: () => (closing ??= close()),
  };
  onTestFinished(() => server.close());
  return server;
}

class ScriptedConnection implements FeedConnection {
  readonly headers: IncomingHttpHeaders;
  readonly received: FeedRequest[] = [];
  onSubscribe: ((subscribe: Subscribe) => void) | undefined;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, headers: IncomingHttpHeaders, answerPings: boolean) {
    this.#socket = socket;
    this.headers = headers;
    socket.on('message', (data: Buffer) => {
      const request = feedRequestSchema.parse(JSON.parse(data.toString('utf8')));
      this.received.push(request);
      if (request.type === 'subscribe') this.onSubscribe?.(request);
      if (request.type === 'ping' && answerPings) this.send({ type: 'pong' });
    });
    socket.on('error', () => socket.terminate());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  async subscribed(): Promise<Subscribe> {
    return await vi.waitFor(() => {
      const subscribe = this.received.find((request) => request.type === 'subscribe');
      if (subscribe === undefined) throw new Error('the consumer has not subscribed yet');
      return subscribe;
    });
  }

  send(...messages: readonly FeedMessage[]): void {
    const takesColumns = this.received.some((request) => request.type === 'subscribe' && request.columns === true);
    for (const message of messages) {
      const inColumns = takesColumns && message.type === 'snapshot' && snapshotInColumns(message.rows);
      this.sendRaw(JSON.stringify({ ...message, ...inColumns }));
    }
  }

  sendRaw(frame: string | Uint8Array): void {
    if (this.isOpen) this.#socket.send(frame);
  }

  cut(): void {
    this.#socket.terminate();
  }
}
