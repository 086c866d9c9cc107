import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { unnamedProblem } from '../domain/plan/certificate-names.ts';

/** TLS options of a client; by default it trusts the authorities of Node.js. */
export interface ClientTls {
  /** Certificates of trusted authorities that replace those of Node.js, as PEM. */
  readonly ca?: string | undefined;
  /** Disables verification of the server. An attacker on the network can then read and change everything. */
  readonly isUnverified?: boolean | undefined;
  /** The certificate of the client, as PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Options for `tls.connect`, and so for WebSockets. */
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

/** Verifies the names like Node.js, but ignores the CommonName (reference 9.3, 6.4.0). */
function checkNames(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(host, certificate);
  if (problem !== undefined || certificate.subjectaltname !== undefined) return problem;
  return Object.assign(new Error(unnamedProblem(String(certificate.subject.CN), [])), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host,
    cert: certificate,
  });
}
