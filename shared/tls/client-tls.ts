import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { unnamedProblem } from '../domain/plan/certificate-names.ts';

/** TLS options of a client. By default the client trusts the certificate authorities of Node.js. */
export interface ClientTls {
  /** PEM certificates of the trusted authorities; they replace those of Node.js. */
  readonly ca?: string | undefined;
  /**
   * True if the certificate of the server is not verified. An attacker on the network can then read and change all
   * traffic.
   */
  readonly isUnverified?: boolean | undefined;
  /** The certificate of the client, as PEM. It is used only together with `key`. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Options for `tls.connect`, which WebSocket clients accept too. */
export interface ConnectOptions {
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity: typeof checkServerIdentity;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export function connectOptions({ ca, cert, key, isUnverified = false }: ClientTls = {}): ConnectOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: !isUnverified,
    checkServerIdentity: checkNames,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

/**
 * Verifies the host name like Node.js, but rejects a certificate that has it only as its CommonName (reference 9.3,
 * 6.4.0).
 */
function checkNames(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(host, certificate);
  if (problem !== undefined || certificate.subjectaltname !== undefined) return problem;
  return Object.assign(new Error(unnamedProblem(String(certificate.subject.CN), [])), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host,
    cert: certificate,
  });
}
