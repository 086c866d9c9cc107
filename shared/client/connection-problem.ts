import { isAlternativeName, unnamedProblem } from '../domain/plan/certificate-names.ts';
import { errorMessage } from '../errors.ts';

const NO_TLS_ADVICE = 'the server does not use TLS: use http:// (ws://) instead of https:// (wss://), or another port';
const OLD_TLS = 'it supports no safe version of TLS: it must support TLS 1.2 or later';
const UNKNOWN_AUTHORITY =
  'its certificate was issued by an unknown CA: set --trusted-ca-file to the certificate of that CA';
const SELF_SIGNED =
  'its certificate is self-signed: set --trusted-ca-file to it, or to the CA that should have issued it';
const BAD_CA = 'its certificate was not signed by a CA: have it issued by a CA';
const NO_CLIENT_CERTIFICATE = 'it requires a client certificate: set cert-file and key-file';

const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens there: start mon-backend, wait a few seconds if it has just been started, or check the address',
  ENOTFOUND: 'the host name is unknown: check the address',
  EAI_AGAIN: 'the name service does not answer: check the network',
  EHOSTUNREACH: 'the host cannot be reached: check the network',
  ENETUNREACH: 'the network cannot be reached: check the network',
  ETIMEDOUT: 'no response in time: check that the backend is healthy and the network allows the connection',
  ECONNRESET: 'the connection was lost: try again',
  EPIPE: 'the connection was lost: try again',
  EPROTO: NO_TLS_ADVICE,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS_ADVICE,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS_ADVICE,
  ERR_SSL_RECORD_LAYER_FAILURE: NO_TLS_ADVICE,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NO_CLIENT_CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  INVALID_CA: BAD_CA,
  CERT_HAS_EXPIRED: 'its certificate has expired: have it renewed, and check the clocks',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clocks',
};

/**
 * True if TLS failed because of the address, a certificate or a certificate authority. A retry fails in the same way
 * until the configuration of the client or the server is changed.
 */
export function isTrustProblem(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return TRUST_ADVICE.has(ADVICE_BY_CODE[code] ?? '') || code.startsWith('CERT_');
  return nameAdvice(error) !== undefined;
}

/**
 * Returns an error message that says why a backend could not be reached, and what to do. `url` is displayed, so it must
 * not contain credentials.
 */
export function connectionProblem(url: string, error: unknown): string {
  const code = codeOf(error);
  const advice = (code === undefined ? undefined : ADVICE_BY_CODE[code]) ?? nameAdvice(error) ?? errorMessage(error);
  return `cannot reach the backend at ${url}: ${advice}`;
}

/** The advice for TLS failures that persist until an address or a certificate is changed. */
const TRUST_ADVICE: ReadonlySet<string> = new Set([
  NO_TLS_ADVICE,
  OLD_TLS,
  UNKNOWN_AUTHORITY,
  SELF_SIGNED,
  BAD_CA,
  NO_CLIENT_CERTIFICATE,
]);

/** True if the response comes from a TLS port that received a plain HTTP request (RFC 2817, 4.2). */
export function speaksTls(status: number, headers: Readonly<Record<string, unknown>> = {}): boolean {
  return status === 426 && /^TLS\//i.test(String(headers['upgrade']));
}

/**
 * Returns the error message for a plain HTTP request to a TLS port.
 *
 * @param url URL to which the request was sent
 */
export function tlsProblem(url: string): string {
  return `cannot reach the backend at ${url}: it requires TLS: use ${url.replace(/^(http|ws):/, '$1s:')}`;
}

/**
 * Returns advice that lists the names in the certificate, if the requested host is not one of them; undefined for any
 * other error.
 */
function nameAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The HTTP library copies the error code to its own error, but only the cause contains the certificate.
  if (!('cert' in error)) return nameAdvice(error.cause);
  if (!('code' in error) || error.code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  const { host = '', cert = {} } = error as {
    host?: string;
    cert?: { subject?: { CN?: string }; subjectaltname?: string };
  };
  const names = (cert.subjectaltname ?? '').split(', ').flatMap((name) => name.replace(/^[^:]*:/, '') || []);
  const { CN: commonName = '' } = cert.subject ?? {};
  if (isAlternativeName(host, [commonName])) {
    return `the ${unnamedProblem(commonName, names)} of its certificate: have it issued again with that name`;
  }
  return `its certificate is not for ${host} but for ${names.join(', ') || 'nobody'}: use one of its names in the address, or have it issued again`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && Object.hasOwn(ADVICE_BY_CODE, error.code)) return error.code;
  // If a host has several addresses, there is one error per address. The last error is reported for all of them.
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return codeOf(error.cause);
}
