import { errorMessage } from '../errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start mon-backend or check the address',
  ENOTFOUND: 'the host name is unknown: check the address',
  EAI_AGAIN: 'the name service does not answer: check the network',
  EHOSTUNREACH: 'the host cannot be reached: check the network',
  ENETUNREACH: 'the network cannot be reached: check the network',
  ETIMEDOUT: 'no answer in time: check that the backend is well and the network lets this through',
  ECONNRESET: 'the connection was cut: try again',
  EPIPE: 'the connection was cut: try again',
  EPROTO: 'this is not TLS: try http:// instead of https://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'this is not TLS: try http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'this is not TLS: try http:// instead of https://',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name its authority in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed: name its authority in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted: name its authority in NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
};

/** Why a backend could not be reached, and what to do about it. `url` is shown, so it must hold no credentials. */
export function connectionProblem(url: string, error: unknown): string {
  const code = codeOf(error);
  const advice = (code === undefined ? undefined : ADVICE[code]) ?? errorMessage(error);
  return `cannot reach the backend at ${url}: ${advice}`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && Object.hasOwn(ADVICE, error.code)) return error.code;
  // A host with several addresses fails with one error for each; the last one tried stands for all.
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return codeOf(error.cause);
}
