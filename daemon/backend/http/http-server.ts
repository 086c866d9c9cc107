import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { HEADER_BYTES_MAX } from './limits.ts';
import type { ServerTls } from '../tls/server-tls.ts';
import { createServer } from '../tls/tls-server.ts';
import type { Connections } from './connections.ts';
import type { SlowPeers } from './slow-peers.ts';
import { pacedRequests } from './watch-peers.ts';

/** Time limits for sending a request, in milliseconds. */
export interface RequestTimes {
  readonly headMs: number;
  /** Limit for head and body together. */
  readonly totalMs: number;
  /** Interval at which connections are checked for these limits. */
  readonly checkMs: number;
}

const REQUEST_TIMES: RequestTimes = { headMs: 10_000, totalMs: 60_000, checkMs: 5000 };

/** Idle time of a kept connection: longer than the minute of the usual proxies. */
const IDLE_MS = 72_000;

/** The protocol that one backend requests of another one that shares its store: many channels in one connection. */
export const CHANNELS_PROTOCOL = 'mon-channels';

/** Protocols to which a connection may be upgraded. */
const PROTOCOLS: ReadonlySet<string | undefined> = new Set(['websocket', CHANNELS_PROTOCOL]);

/** Creates an HTTP server that does not listen yet. */
export type MakeServer = (answer: RequestListener, own?: Pick<ServerOptions, 'requireHostHeader'>) => Server;

/**
 * Returns a function that creates servers with the same limits, whose connections are counted together.
 *
 * @param tls undefined: plain HTTP
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
 * True if the request is a supported upgrade. Clients such as Java's HttpClient and `curl --http2` offer `h2c` with
 * ordinary HTTP/1.1 requests, and a server may ignore the offer (RFC 9110, 7.8).
 */
function offersOurs({ headers }: IncomingMessage): boolean {
  return PROTOCOLS.has(headers.upgrade?.toLowerCase());
}
