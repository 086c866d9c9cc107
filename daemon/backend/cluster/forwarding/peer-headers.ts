import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** What one backend says to another one beside a request that it sends on. */
export const PEER_HEADERS = {
  /** The signature of the backend that sends it, see `PeerSignatures`; earlier versions send a secret of the store. */
  signature: 'mon-peer',
  /** Who asks, as `voucherText` writes it. */
  principal: 'mon-principal',
  /** The version of the credentials that he has shown; members with an earlier version of the program do not say it. */
  credential: 'mon-credential',
  /** The address that he asks from. */
  caller: 'mon-caller',
  /** `v2`: at a listener of version 2 alone. */
  face: 'mon-face',
  /** Of an answer: the number of the newest write that it knows of. Only who writes says it. */
  seq: 'mon-seq',
} as const;

/** Where the agents of the newer generation are tunnelled to: those that come straight have a listener of their own. */
export const V2_AGENT_TUNNEL_PATH = '/api/mon/v1/tunnels/v2-agent';

/** Where a backend asks for the one connection that all its tunnels are in. */
export const CHANNELS_PATH = '/api/mon/v1/tunnels';

/** What an answer or a refusal may depend on beside path and body. */
const SENT_ON: readonly string[] = ['accept', 'authorization', 'if-match', 'if-none-match'];

/** Of one connection, or said anew by who answers. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  PEER_HEADERS.seq,
]);

/** Of a handshake, what this backend says itself. */
const OF_MEMBER: ReadonlySet<string> = new Set(['host', 'origin', ...Object.values(PEER_HEADERS)]);

/** Of a request. */
export function requestHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(SENT_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** Of an answer; what other sites may do with it is for the one to say that they ask. */
export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name) && !name.startsWith('access-control-')),
  );
}

/** Of a handshake: agents say of themselves what they like. */
export function handshakeHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_MEMBER.has(name)));
}
