import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { HEADER_BYTES_MAX } from './limits.ts';
import type { ServerTls } from '../tls/server-tls.ts';
import { createServer } from '../tls/tls-server.ts';
import type { Connections } from './connections.ts';
import type { SlowPeers } from './slow-peers.ts';
import { pacedRequests } from './watch-peers.ts';

/** Time limits for the arrival of a request, in milliseconds. */
export interface RequestTimes {
  readonly headMs: number;
  /** Maximum time until the headers and the body of a request have arrived. */
  readonly totalMs: number;
  /** Interval at which connections are checked against the time limits. */
  readonly checkMs: number;
}

const REQUEST_TIMES: RequestTimes = { headMs: 10_000, totalMs: 60_000, checkMs: 5000 };

/**
 * Time, in milliseconds, after which an idle keep-alive connection is closed. It is longer than a minute, because
 * common proxies close idle connections after a minute.
 */
const IDLE_MS = 72_000;

/**
 * The protocol that backends with a shared store upgrade their connections to. It transfers many channels in one
 * connection.
 */
export const CHANNELS_PROTOCOL = 'mon-channels';

/** Protocols that a client can upgrade a connection to. */
const UPGRADE_PROTOCOLS: ReadonlySet<string | undefined> = new Set(['websocket', CHANNELS_PROTOCOL]);

/** Creates an HTTP server that does not listen yet. */
export type MakeServer = (answer: RequestListener, own?: Pick<ServerOptions, 'requireHostHeader'>) => Server;

/**
 * Returns a function that creates HTTP servers. All these servers have the same limits, and their connections are
 * counted together.
 *
 * @param tls TLS settings; if undefined, the servers use plain HTTP
 */
export function serverMaker(
  connections: Connections,
  slowPeers: SlowPeers,
  { headMs, totalMs, checkMs }: RequestTimes = REQUEST_TIMES,
  tls?: ServerTls,
): MakeServer {
  return (answer, own) => {
    const options: ServerOptions = {
      ...own,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headMs,
      requestTimeout: totalMs,
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
 * True if the request asks for a supported upgrade. Other upgrade offers are ignored (RFC 9110, 7.8): clients such as
 * Java's HttpClient and `curl --http2` offer `h2c` with ordinary HTTP/1.1 requests.
 */
function offersOurs({ headers }: IncomingMessage): boolean {
  return UPGRADE_PROTOCOLS.has(headers.upgrade?.toLowerCase());
}
