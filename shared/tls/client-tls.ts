import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { unnamedProblem } from '../domain/plan/certificate-names.ts';

/** How a client speaks TLS; without anything, it trusts the authorities that Node.js brings. */
export interface ClientTls {
  /** Certificates of the authorities that are trusted in place of those, as PEM. */
  readonly ca?: string | undefined;
  /** Whoever answers is believed to be the backend: whoever is on the way can read and change everything. */
  readonly isUnverified?: boolean | undefined;
  /** Who we are, as PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What `tls.connect`, and so a WebSocket, is told. */
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

/** As Node.js does it, but a CommonName alone names nobody (reference 9.3, 6.4.0). */
function checkNames(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(host, certificate);
  if (problem !== undefined || certificate.subjectaltname !== undefined) return problem;
  return Object.assign(new Error(unnamedProblem(String(certificate.subject.CN), [])), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host,
    cert: certificate,
  });
}
