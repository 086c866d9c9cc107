import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { HEADER_BYTES_MAX } from './limits.ts';
import type { ServerTls } from '../tls/server-tls.ts';
import { createServer } from '../tls/tls-server.ts';
import type { Connections } from './connections.ts';
import type { SlowPeers } from './slow-peers.ts';
import { pacedRequests } from './watch-peers.ts';

/** How long a client may take to send a request, milliseconds. */
export interface RequestTimes {
  readonly headMs: number;
  /** Head and body together. */
  readonly wholeMs: number;
  /** How often connections are looked at for that. */
  readonly checkMs: number;
}

const REQUEST_TIMES: RequestTimes = { headMs: 10_000, wholeMs: 60_000, checkMs: 5000 };

/** How long a connection is kept for the next request: longer than the minute for which the usual proxies keep theirs. */
const IDLE_MS = 72_000;

/** What a backend asks another one for that shares its store: many connections in one. */
export const CHANNELS_PROTOCOL = 'mon-channels';

/** What a connection may go on with in place of HTTP. */
const PROTOCOLS: ReadonlySet<string | undefined> = new Set(['websocket', CHANNELS_PROTOCOL]);

/** Makes a server that answers what is asked by HTTP, and does not listen yet. */
export type MakeServer = (answer: RequestListener, own?: Pick<ServerOptions, 'requireHostHeader'>) => Server;

/**
 * What every listener has in common: the same limits, and its connections among those of all.
 *
 * @param tls undefined: it speaks plain HTTP
 */
export function serverMaker(
  connections: Connections,
  slowPeers: SlowPeers,
  { headMs, wholeMs, checkMs }: RequestTimes = REQUEST_TIMES,
  tls?: ServerTls,
): MakeServer {
  return (answer, own) => {
    const options: ServerOptions = {
      ...own,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headMs,
      requestTimeout: wholeMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: IDLE_MS,
      shouldUpgradeCallback: offersOurs,
    };
    const server = createServer(options, pacedRequests(answer, slowPeers), tls);
    slowPeers.watch(server);
    return connections.watch(server);
  };
}

/**
 * Whether it is a handshake. Whoever offers another protocol, as Java's HttpClient and `curl --http2` do with `h2c`, asks
 * a question of HTTP/1.1 all the same, and a server need not take the offer up (RFC 9110, 7.8).
 */
function offersOurs({ headers }: IncomingMessage): boolean {
  return PROTOCOLS.has(headers.upgrade?.toLowerCase());
}
