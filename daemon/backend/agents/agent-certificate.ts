import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import type { CertificateOrigin } from '../../../shared/domain/certificate-namespaces.ts';
import { MonError } from '../../../shared/errors.ts';
import { nameSchema } from '../../../shared/schemas/name.ts';
import { alternativeNames, commonName } from '../../../shared/tls/certificate.ts';
import type { Principal } from '../access/principal.ts';
import { refuseForeignOrigin, type UpgradeGuard } from '../sockets/upgrades.ts';

/** The data of the client certificate that an agent presented in the TLS handshake. */
interface AgentCertificate {
  /** The client names under which the agent may connect. */
  readonly clientNames: readonly [string, ...string[]];
  /** The SHA-256 fingerprint of the last authority in the certificate chain. */
  readonly authority: string;
  readonly origin: CertificateOrigin;
  readonly expiresMs: number;
}

/** Returns the namespaces in which a certificate is valid, or undefined if it is valid in all namespaces. */
export type NamespacesOfCertificate = (origin: CertificateOrigin) => readonly string[] | undefined;

/**
 * Returns the client certificate of an agent, or undefined if the agent presented none.
 *
 * @throws MonError `unauthenticated` if the certificate is not trusted, or contains no valid client name
 */
function agentCertificate({ socket }: Pick<IncomingMessage, 'socket'>): AgentCertificate | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined || !(socket instanceof TLSSocket)) return undefined;
  if (!socket.authorized) {
    // By its type `authorizationError` is an Error, but Node.js sets it to the error code, a string.
    const problem = String(socket.authorizationError);
    throw certificateError(
      `the client certificate is rejected (${problem}): use a certificate that was issued by a CA in client-ca-file and has not expired`,
    );
  }
  const [first, ...others] = namesOfClients(certificate);
  if (first === undefined)
    throw certificateError('the client certificate contains no client name: put the name into the CommonName');
  return {
    clientNames: [first, ...others],
    authority: authorityOf(socket),
    origin: { authorities: issuersOf(socket, certificate), ...subjectOf(certificate) },
    expiresMs: certificate.validToDate.getTime(),
  };
}

/**
 * Returns a guard that admits agents by their certificate. If an agent also sends other credentials, `guard` checks
 * those, and the certificate still limits the agent to its client names and namespaces.
 */
export function certificateGuard(guard: UpgradeGuard, namespacesOf: NamespacesOfCertificate): UpgradeGuard {
  return (request) => {
    const certificate = agentCertificate(request);
    if (certificate === undefined) return guard(request);
    const { clientNames, authority, origin: certificateOrigin, expiresMs } = certificate;
    const certificateNamespaces = namespacesOf(certificateOrigin);
    if (request.headers.authorization === undefined) {
      refuseForeignOrigin(request);
      return {
        name: clientNames[0],
        scopes: new Set(['submit']),
        via: 'certificate',
        clientNames,
        certificateOrigin,
        certificateNamespaces,
        authority,
        expiresMs,
      };
    }
    const admitted = guard(request);
    const keep = (principal: Principal): Principal => ({
      ...principal,
      clientNames,
      certificateOrigin,
      certificateNamespaces,
      authority,
      certificateExpiresMs: expiresMs,
    });
    return admitted instanceof Promise ? admitted.then(keep) : keep(admitted);
  };
}

/**
 * Rejects a client name that the certificate of the agent does not allow, even if other credentials allow it.
 *
 * @param clientNames names that the certificate allows; undefined if the agent presented no certificate
 * @throws MonError `forbidden`
 */
export function refuseOtherClient(name: string, clientNames: readonly string[] | undefined): void {
  if (clientNames === undefined || clientNames.includes(name)) return;
  throw new MonError(
    'forbidden',
    `the certificate is for ${clientNames.join(', ')}, not for ${name}: rename the client, or use another certificate`,
  );
}

/**
 * Rejects a namespace that the certificate of the agent does not allow, even if other credentials allow it.
 *
 * @param validNamespaces namespaces in which the certificate is valid; undefined if it is valid in all or is absent
 * @throws MonError `forbidden`
 */
export function refuseOtherNamespace(namespace: string, validNamespaces: readonly string[] | undefined): void {
  if (validNamespaces === undefined || validNamespaces.includes(namespace)) return;
  throw new MonError(
    'forbidden',
    validNamespaces.length === 0
      ? 'the certificate is valid in no namespace: no rule of certificate-namespaces matches its authority, O or OU'
      : `the certificate is valid in the namespace ${validNamespaces.join(', ')}, not in ${namespace}: set agent.namespace to it, or use another certificate`,
  );
}

/** Returns the valid client names among the CommonName and the DNS names of a certificate. */
function namesOfClients(certificate: X509Certificate): string[] {
  const names = [commonName(certificate) ?? '', ...alternativeNames(certificate, 'DNS')];
  return [...new Set(names)].filter((name) => nameSchema.safeParse(name).success);
}

/**
 * Returns the fingerprint of the last certificate in the chain. The agent need not send that certificate, because the
 * backend has it among its trusted authorities.
 */
function authorityOf(socket: TLSSocket): string {
  let last: DetailedPeerCertificate = socket.getPeerCertificate(true);
  while (last.issuerCertificate !== undefined && last.issuerCertificate.fingerprint256 !== last.fingerprint256) {
    last = last.issuerCertificate;
  }
  return last.fingerprint256;
}

/**
 * Returns the fingerprints of the authorities in the certificate chain. The list ends before the first authority whose
 * key did not sign the previous certificate: a matching issuer name alone proves nothing.
 */
function issuersOf(socket: TLSSocket, leaf: X509Certificate): string[] {
  const fingerprints: string[] = [];
  let [last, signed] = [socket.getPeerCertificate(true), leaf];
  while (last.issuerCertificate !== undefined && last.issuerCertificate.fingerprint256 !== last.fingerprint256) {
    last = last.issuerCertificate;
    const issuer = new X509Certificate(last.raw);
    // OpenSSL already rejects a chain with a wrong signature, for example if it picks the wrong one of two authorities
    // with the same name.
    if (!signed.verify(issuer.publicKey)) break;
    fingerprints.push(issuer.fingerprint256);
    signed = issuer;
  }
  return fingerprints;
}

function subjectOf(certificate: X509Certificate): Pick<CertificateOrigin, 'organizations' | 'units'> {
  const { O, OU } = certificate.toLegacyObject().subject as { readonly O?: unknown; readonly OU?: unknown };
  return { organizations: textValuesOf(O), units: textValuesOf(OU) };
}

/** Returns the text values of a certificate subject's attribute, which may occur several times. */
function textValuesOf(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function certificateError(message: string): MonError {
  return new MonError('unauthenticated', message);
}
