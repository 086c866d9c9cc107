import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { Seldom } from '../../../log/rate-limit.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { Callers, ReceivedRequest } from '../../access/caller.ts';
import { ANONYMOUS, type Principal } from '../../access/principal.ts';
import { parseVoucher, voucherText, type Voucher } from '../../access/voucher.ts';
import type { Sender } from '../../http/request.ts';
import type { Clock } from '../../ports.ts';
import { PEER_HEADERS } from './peer-headers.ts';
import { requestBodyDigest, type PeerSignatures } from './proof/peer-signatures.ts';

/** The error for a request that claims to come from another backend. */
export const NO_MEMBER =
  'the request is not signed by a member of the cluster: run the same version with the same peer-key-file on all members';

/** The error for the token of a machine at another backend, where its presentation cannot be proved. */
export const NEEDS_PEER_KEY =
  'the token of a machine is valid only at the backend on that machine: use other credentials, send the request to the leader, or set peer-key-file on all members';

/** The address of a caller, which may come from a proxy. */
const CALLER = /^[\w.:%[\]-]{0,200}$/;

/** The head of a request whose body is not read yet. */
interface ReceivedHead extends ReceivedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

type SentCaller = Omit<Sender, 'memberId'>;

interface PeerParts {
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly signatures: PeerSignatures;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** Authenticates requests that another backend forwards, each with the caller's identity. */
export class AdmittedPeers {
  readonly #parts: PeerParts;
  readonly #refused: Seldom;
  /** Expected digests of the bodies of requests whose head is signed. */
  readonly #bodyDigests = new WeakMap<IncomingHttpHeaders, string>();

  constructor(parts: PeerParts) {
    this.#parts = parts;
    this.#refused = new Seldom(parts.log, parts.clock);
  }

  /** True if other backends believe this one who a caller is. */
  get isStrong(): boolean {
    return this.#parts.signatures.isStrong;
  }

  /**
   * Returns the headers that identify the caller to another backend.
   *
   * @throws MonError `forbidden` for the token of this machine if the other backend cannot believe it
   */
  headersOf(principal: Principal, caller: string): Readonly<Record<string, string>> {
    const { authenticator } = this.#parts;
    const sent = this.isStrong || principal.via !== 'local' ? principal : this.#withoutToken();
    const credential = authenticator.sentVersionOf(sent);
    return {
      [PEER_HEADERS.principal]: voucherText(authenticator.voucherOf(sent)),
      ...(credential !== undefined && { [PEER_HEADERS.credential]: credential }),
      [PEER_HEADERS.caller]: caller,
    };
  }

  /**
   * Rejects a request that only claims to come from another backend. It counts as a wrong password, with the same
   * delay.
   *
   * @returns the id of the backend that sent it
   * @throws MonError `unauthenticated`, `unavailable`
   */
  async refuseStranger(request: ReceivedHead): Promise<string> {
    const { authenticator, callers, signatures } = this.#parts;
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
      throw error instanceof MonError && error.code === 'unauthenticated' ? new MonError(error.code, NO_MEMBER) : error;
    });
    throw new MonError('unauthenticated', NO_MEMBER);
  }

  /**
   * Rejects a body that differs from the signed one.
   *
   * @param body as it was received; anything but a string counts as no body
   * @throws MonError `unauthenticated`
   */
  refuseAlteredBody({ headers }: Pick<ReceivedHead, 'headers'>, body: unknown): void {
    const signed = this.#bodyDigests.get(headers);
    if (signed === requestBodyDigest(typeof body === 'string' ? body : '')) return;
    throw new MonError('unauthenticated', NO_MEMBER);
  }

  /**
   * Returns the caller of a request that another backend forwards.
   *
   * @throws MonError `unauthenticated` if the credentials are not valid here, `invalid` for headers that no backend
   *   sends; the promise likewise
   */
  senderOf({ headers }: Pick<ReceivedRequest, 'headers'>): SentCaller | Promise<SentCaller> {
    const voucher = parseVoucher(text(headers, PEER_HEADERS.principal));
    const caller = text(headers, PEER_HEADERS.caller);
    if (voucher === undefined || !CALLER.test(caller)) {
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
    const { authenticator, signatures } = this.#parts;
    const credentialVersion = text(headers, PEER_HEADERS.credential) || undefined;
    if (signatures.isStrong) return authenticator.ofVoucher(voucher, credentialVersion);
    if (voucher.via === 'local') throw new MonError('forbidden', NEEDS_PEER_KEY);
    if (!SHOWN_AGAIN.has(voucher.via)) return authenticator.ofVoucher(voucher, credentialVersion);
    return this.#shownAgain(voucher, headers, caller);
  }

  /**
   * Authenticates the caller by the forwarded credentials themselves, because any writer to the database can forge a
   * voucher.
   */
  async #shownAgain(voucher: Voucher, headers: IncomingHttpHeaders, caller: string): Promise<Principal> {
    const principal = await this.#parts.authenticator.ofCredentials(headers, caller);
    const { name, via, authority, clientNames, certificateOrigin, expiresMs } = voucher;
    if (principal.name !== name || principal.via !== via) throw new MonError('unauthenticated', NO_MEMBER);
    if (authority === undefined) return principal;
    // A certificate beside other credentials only restricts what they allow.
    return {
      ...principal,
      authority,
      clientNames,
      certificateOrigin,
      certificateNamespaces: this.#parts.authenticator.namespacesOf(certificateOrigin),
      certificateExpiresMs: expiresMs,
    };
  }

  /** Replaces a local administrator, whom another backend does not believe, by an anonymous caller. */
  #withoutToken(): Principal {
    if (this.#parts.authenticator.isOpen) return ANONYMOUS;
    throw new MonError('forbidden', NEEDS_PEER_KEY);
  }
}

/** Kinds of credentials that any member can verify. */
const SHOWN_AGAIN: ReadonlySet<Voucher['via']> = new Set(['password', 'key', 'token']);

/** True if the request claims to be forwarded by another backend. */
export function isSentOn({ headers }: Pick<ReceivedRequest, 'headers'>): boolean {
  return headers[PEER_HEADERS.signature] !== undefined;
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
