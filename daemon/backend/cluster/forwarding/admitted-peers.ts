import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { RateLimitedLog } from '../../../log/rate-limit.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { CallerResolver, ReceivedRequest } from '../../access/caller.ts';
import { ANONYMOUS_PRINCIPAL, type Principal } from '../../access/principal.ts';
import { parseVoucher, voucherText, type Voucher } from '../../access/voucher.ts';
import type { RequestSender } from '../../http/request.ts';
import type { Clock } from '../../ports.ts';
import { PEER_HEADERS } from './peer-headers.ts';
import { requestBodyDigest, type PeerSignatures } from './proof/peer-signatures.ts';

/** Error text for a request that claims to come from a member of the cluster but is not signed by a member. */
export const NOT_SIGNED_BY_MEMBER =
  'the request is not signed by a member of the cluster: run the same version with the same peer-key-file on all members';

/**
 * Error text for a local administrator, a caller with the token file of this host. The request cannot be forwarded,
 * because the leader cannot verify that token.
 */
export const NEEDS_PEER_KEY =
  'the token of a machine is valid only at the backend on that machine: use other credentials, send the request to the leader, or set peer-key-file on all members';

/** Format of the IP address of a caller; the address can come from a header of a proxy. */
const CALLER_ADDRESS = /^[\w.:%[\]-]{0,200}$/;

/** The method, URL and headers of a received request, before its body is read. */
interface ReceivedHead extends ReceivedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

type SentCaller = Omit<RequestSender, 'memberId'>;

interface PeerDependencies {
  readonly authenticator: Authenticator;
  readonly callers: CallerResolver;
  readonly signatures: PeerSignatures;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** Authenticates requests that another member forwards on behalf of a caller. */
export class PeerAuthenticator {
  readonly #dependencies: PeerDependencies;
  readonly #refused: RateLimitedLog;
  /**
   * The signed digest of each request body. The key is the headers object of the request. The digest is compared once
   * the body is read.
   */
  readonly #bodyDigests = new WeakMap<IncomingHttpHeaders, string>();

  constructor(dependencies: PeerDependencies) {
    this.#dependencies = dependencies;
    this.#refused = new RateLimitedLog(dependencies.log, dependencies.clock);
  }

  /** True if the members share keys from a file, so that they trust the caller identity that another member sends. */
  get isStrong(): boolean {
    return this.#dependencies.signatures.isStrong;
  }

  /**
   * Returns the headers that identify the caller to another member.
   *
   * @throws MonError `forbidden` if the caller is a local administrator whom the other member cannot verify, and
   *   anonymous callers are not allowed
   */
  headersOf(principal: Principal, caller: string): Readonly<Record<string, string>> {
    const { authenticator } = this.#dependencies;
    const sent = this.isStrong || principal.via !== 'local' ? principal : this.#callerWithoutToken();
    const credential = authenticator.sentVersionOf(sent);
    return {
      [PEER_HEADERS.principal]: voucherText(authenticator.voucherOf(sent)),
      ...(credential !== undefined && { [PEER_HEADERS.credential]: credential }),
      [PEER_HEADERS.caller]: caller,
    };
  }

  /**
   * Rejects a request that claims to come from another member, unless the signature of its method, path and headers is
   * valid. An invalid signature is treated as a failed login, so repeated attempts are delayed.
   *
   * @returns the id of the member that sent the request
   * @throws MonError `unauthenticated`; `unavailable` if too many logins fail at the same time
   */
  async authenticateMember(request: ReceivedHead): Promise<string> {
    const { authenticator, callers, signatures } = this.#dependencies;
    const address = request.socket.remoteAddress ?? '';
    const proof = signatures.proofOf(request);
    if (proof.kind === 'signed') {
      callers.noteMember(address);
      this.#bodyDigests.set(request.headers, proof.bodyDigest);
      return proof.sender;
    }
    const { reason } = proof;
    this.#refused.warn(() => ({ address, reason }), 'request with the identity of another member was rejected');
    await authenticator.refuseSlowly(address).catch((error: unknown) => {
      throw error instanceof MonError && error.code === 'unauthenticated'
        ? new MonError(error.code, NOT_SIGNED_BY_MEMBER)
        : error;
    });
    throw new MonError('unauthenticated', NOT_SIGNED_BY_MEMBER);
  }

  /**
   * Rejects a request whose body differs from the signed digest.
   *
   * @param body the received body; a value that is not a string counts as an empty body
   * @throws MonError `unauthenticated`
   */
  refuseAlteredBody({ headers }: Pick<ReceivedHead, 'headers'>, body: unknown): void {
    const signed = this.#bodyDigests.get(headers);
    if (signed === requestBodyDigest(typeof body === 'string' ? body : '')) return;
    throw new MonError('unauthenticated', NOT_SIGNED_BY_MEMBER);
  }

  /**
   * Returns the caller on whose behalf another member forwards a request.
   *
   * @throws MonError (directly or as a rejected promise) `unauthenticated` if the credentials are not valid here,
   *   `forbidden` if the caller is a local administrator that cannot be verified, `invalid` if a header is malformed
   */
  senderOf({ headers }: Pick<ReceivedRequest, 'headers'>): SentCaller | Promise<SentCaller> {
    const voucher = parseVoucher(headerText(headers, PEER_HEADERS.principal));
    const caller = headerText(headers, PEER_HEADERS.caller);
    if (voucher === undefined || !CALLER_ADDRESS.test(caller)) {
      throw new MonError(
        'invalid',
        'the member that forwarded this request did not send the user name: run the same version on all members',
      );
    }
    const isOfV2 = headers[PEER_HEADERS.face] === 'v2';
    const principal = this.#principalOf(voucher, headers, caller);
    if (principal instanceof Promise) return principal.then((proved) => ({ principal: proved, caller, isOfV2 }));
    return { principal, caller, isOfV2 };
  }

  #principalOf(voucher: Voucher, headers: IncomingHttpHeaders, caller: string): Principal | Promise<Principal> {
    const { authenticator, signatures } = this.#dependencies;
    const credentialVersion = headerText(headers, PEER_HEADERS.credential) || undefined;
    if (signatures.isStrong) return authenticator.principalOfVoucher(voucher, credentialVersion);
    if (voucher.via === 'local') throw new MonError('forbidden', NEEDS_PEER_KEY);
    if (!FORWARDED_CREDENTIALS.has(voucher.via)) return authenticator.principalOfVoucher(voucher, credentialVersion);
    return this.#authenticateForwarded(voucher, headers, caller);
  }

  /**
   * Authenticates the caller by the forwarded credentials. The voucher is not trusted here, because everyone who can
   * read the database can sign a forged voucher.
   */
  async #authenticateForwarded(voucher: Voucher, headers: IncomingHttpHeaders, caller: string): Promise<Principal> {
    const principal = await this.#dependencies.authenticator.authorizeRemote(headers, caller);
    const { name, via, authority, clientNames, certificateOrigin, expiresMs } = voucher;
    if (principal.name !== name || principal.via !== via) throw new MonError('unauthenticated', NOT_SIGNED_BY_MEMBER);
    if (authority === undefined) return principal;
    // A client certificate that is sent with other credentials only restricts the rights of these, so it need not be
    // verified.
    return {
      ...principal,
      authority,
      clientNames,
      certificateOrigin,
      certificateNamespaces: this.#dependencies.authenticator.namespacesOf(certificateOrigin),
      certificateExpiresMs: expiresMs,
    };
  }

  /**
   * Returns an anonymous caller in place of a local administrator whom another member cannot verify. Throws if
   * anonymous callers are not allowed.
   */
  #callerWithoutToken(): Principal {
    if (this.#dependencies.authenticator.needsNoCredentials) return ANONYMOUS_PRINCIPAL;
    throw new MonError('forbidden', NEEDS_PEER_KEY);
  }
}

/** Kinds of credentials that are forwarded with the request, so that each member can verify them itself. */
const FORWARDED_CREDENTIALS: ReadonlySet<Voucher['via']> = new Set(['password', 'key', 'token']);

/** True if the request claims to come from another member; its signature is not verified here. */
export function isFromMember({ headers }: Pick<ReceivedRequest, 'headers'>): boolean {
  return headers[PEER_HEADERS.signature] !== undefined;
}

function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
