import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The headers that a backend adds to a request that it forwards to another one. */
export const PEER_HEADERS = {
  /** The signature of the sending backend, see `PeerSignatures`; earlier versions send a secret of the store. */
  signature: 'mon-peer',
  /** The caller, as `voucherText` encodes it. */
  principal: 'mon-principal',
  /** The version of the caller's credentials; members with an earlier version of the program do not send it. */
  credential: 'mon-credential',
  /** The address of the caller. */
  caller: 'mon-caller',
  /** `v2`: the request came to a listener that serves only the v2 API. */
  face: 'mon-face',
  /** The sequence number of the newest write that the sender knows of, on a response. Only the leader sends it. */
  seq: 'mon-seq',
} as const;

/** The path of tunnels for v2 agents. Direct v2 agents have a listener of their own. */
export const V2_AGENT_TUNNEL_PATH = '/api/mon/v1/tunnels/v2-agent';

/** The path at which a backend requests the connection that contains all its tunnels. */
export const CHANNELS_PATH = '/api/mon/v1/tunnels';

/** Headers on which a response may depend in addition to path and body. */
const SENT_ON: readonly string[] = ['accept', 'authorization', 'if-match', 'if-none-match'];

/** Headers of one connection, or set again by the responding backend. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  PEER_HEADERS.seq,
]);

/** Headers of a handshake that this backend sets itself. */
const OF_MEMBER: ReadonlySet<string> = new Set(['host', 'origin', ...Object.values(PEER_HEADERS)]);

/** Returns the headers of a request that are forwarded. */
export function requestHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(SENT_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/**
 * Returns the headers of a response that are passed on. CORS headers are left to the backend that serves the caller.
 */
export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name) && !name.startsWith('access-control-')),
  );
}

/** Returns the headers of a handshake that are forwarded: all but the backend's own, because agents may send any. */
export function handshakeHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_MEMBER.has(name)));
}
