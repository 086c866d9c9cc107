import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import type { CertificateOrigin } from '../../../shared/domain/certificate-namespaces.ts';
import { MonError } from '../../../shared/errors.ts';
import { nameSchema } from '../../../shared/schemas/name.ts';
import { alternativeNames, commonName } from '../../../shared/tls/certificate.ts';
import type { Principal } from '../access/principal.ts';
import { refuseForeignOrigin, type Guard } from '../sockets/upgrades.ts';

/** What an agent has shown of itself in the handshake of TLS. */
interface AgentCertificate {
  /** Of the clients that it may be. */
  readonly clientNames: readonly [string, ...string[]];
  /** SHA-256 of the authority that vouches for it. */
  readonly authority: string;
  readonly origin: CertificateOrigin;
  readonly expiresMs: number;
}

/** The namespaces that a certificate is good in; undefined: all of them. */
export type NamespacesOfCertificate = (origin: CertificateOrigin) => readonly string[] | undefined;

/**
 * The certificate that an agent shows, where it is asked for one.
 *
 * @throws MonError `unauthenticated` for one that nobody vouches for, or that names no client
 */
function agentCertificate({ socket }: Pick<IncomingMessage, 'socket'>): AgentCertificate | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined || !(socket instanceof TLSSocket)) return undefined;
  if (!socket.authorized) {
    // The types say that it is an error, and it is its code.
    const problem = String(socket.authorizationError);
    throw refusal(`(${problem}): have it issued by an authority of client-ca-file, and renewed in time`);
  }
  const [first, ...others] = namesOfClients(certificate);
  if (first === undefined) throw refusal('because it names no client: put the name into its CommonName');
  return {
    clientNames: [first, ...others],
    authority: authorityOf(socket),
    origin: { authorities: issuersOf(socket, certificate), ...subjectOf(certificate) },
    expiresMs: certificate.validToDate.getTime(),
  };
}

/**
 * Lets agents in by their certificate, unless they show other credentials. What those are worth is for `guard` to say;
 * the certificate keeps the agent to its clients and namespaces all the same.
 */
export function certificateGuard(guard: Guard, namespacesOf: NamespacesOfCertificate): Guard {
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
 * Keeps an agent to what its certificate says, whatever its other credentials allow.
 *
 * @param clientNames undefined: it has shown none
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
 * Keeps an agent to the namespaces that its certificate is good in, whatever its other credentials allow.
 *
 * @param goodIn undefined: it is good in all, or there is none
 * @throws MonError `forbidden`
 */
export function refuseOtherNamespace(namespace: string, goodIn: readonly string[] | undefined): void {
  if (goodIn === undefined || goodIn.includes(namespace)) return;
  throw new MonError(
    'forbidden',
    goodIn.length === 0
      ? 'the certificate is valid in no namespace: no rule of certificate-namespaces matches its authority, O or OU'
      : `the certificate is valid in the namespace ${goodIn.join(', ')}, not in ${namespace}: set agent.namespace to it, or use another certificate`,
  );
}

/** CommonName and host names: those that a client can have. */
function namesOfClients(certificate: X509Certificate): string[] {
  const names = [commonName(certificate) ?? '', ...alternativeNames(certificate, 'DNS')];
  return [...new Set(names)].filter((name) => nameSchema.safeParse(name).success);
}

/** The end of the chain: also what the agent did not send, because it is known here. */
function authorityOf(socket: TLSSocket): string {
  let last: DetailedPeerCertificate = socket.getPeerCertificate(true);
  while (last.issuerCertificate !== undefined && last.issuerCertificate.fingerprint256 !== last.fingerprint256) {
    last = last.issuerCertificate;
  }
  return last.fingerprint256;
}

/** The authorities in the chain, each of which has signed the certificate before it: a name alone is no proof. */
function issuersOf(socket: TLSSocket, leaf: X509Certificate): string[] {
  const fingerprints: string[] = [];
  let [last, signed] = [socket.getPeerCertificate(true), leaf];
  while (last.issuerCertificate !== undefined && last.issuerCertificate.fingerprint256 !== last.fingerprint256) {
    last = last.issuerCertificate;
    const issuer = new X509Certificate(last.raw);
    if (!signed.verify(issuer.publicKey)) break;
    fingerprints.push(issuer.fingerprint256);
    signed = issuer;
  }
  return fingerprints;
}

function subjectOf(certificate: X509Certificate): Pick<CertificateOrigin, 'organizations' | 'units'> {
  const { O, OU } = certificate.toLegacyObject().subject as { readonly O?: unknown; readonly OU?: unknown };
  return { organizations: texts(O), units: texts(OU) };
}

/** A subject may have an attribute several times. */
function texts(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function refusal(why: string): MonError {
  return new MonError('unauthenticated', `the client certificate is rejected ${why}`);
}
