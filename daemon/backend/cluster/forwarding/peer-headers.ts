import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The headers that members add to requests and responses between each other. */
export const PEER_HEADERS = {
  /**
   * The signature of the sending backend, see `PeerSignatures`; earlier versions of the program send a secret of the
   * store instead.
   */
  signature: 'mon-peer',
  /** The identity of the API caller, as `voucherText` encodes it. */
  principal: 'mon-principal',
  /** The version of the API key or password of the API caller; earlier versions of the program do not send it. */
  credential: 'mon-credential',
  /** The IP address of the API caller. */
  caller: 'mon-caller',
  /** The value is `v2` if the request was received by a listener that serves only the v2 API. */
  face: 'mon-face',
  /** The sequence number of the newest committed write; the leader sets this header on its responses. */
  seq: 'mon-seq',
} as const;

/**
 * The path at which the leader accepts Sensu Go agents through a tunnel of another member. Agents that connect directly
 * use another listener.
 */
export const V2_AGENT_TUNNEL_PATH = '/api/mon/v1/tunnels/v2-agent';

/** The path at which a member requests the connection that multiplexes all its tunnels. */
export const CHANNELS_PATH = '/api/mon/v1/tunnels';

/** Request headers that are forwarded to the leader, because its response can depend on them. */
const FORWARDED_HEADERS: readonly string[] = [
  'accept',
  'authorization',
  'if-match',
  'if-none-match',
  'x-slack-request-timestamp',
  'x-slack-signature',
  'x-telegram-bot-api-secret-token',
];

/** Response headers that are not passed on: headers of the connection, and headers that each backend sets itself. */
const UNFORWARDED_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  PEER_HEADERS.seq,
]);

/**
 * Handshake headers of an agent that are not forwarded: they concern this member, or only members are allowed to set
 * them.
 */
const UNFORWARDED_HANDSHAKE_HEADERS: ReadonlySet<string> = new Set(['host', 'origin', ...Object.values(PEER_HEADERS)]);

/** Returns the headers of a request that are forwarded to the leader. */
export function requestHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

/**
 * Returns the headers of the leader's response that are passed on to the caller. The backend that the caller uses adds
 * the CORS headers itself.
 */
export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !UNFORWARDED_RESPONSE_HEADERS.has(name) && !name.startsWith('access-control-'),
    ),
  );
}

/** Returns the headers of an agent's handshake that are forwarded to the leader. */
export function handshakeHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !UNFORWARDED_HANDSHAKE_HEADERS.has(name)));
}
