import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../../shared/errors.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { Callers, ReceivedRequest } from '../../access/caller.ts';
import { parseVoucher, voucherText } from '../../access/voucher.ts';
import type { Principal } from '../../access/principal.ts';
import type { Sender } from '../../http/request.ts';
import { PEER_HEADERS } from './peer-headers.ts';

/** What a backend is told that is none of those that share the store. */
export const NO_MEMBER = 'this is not the secret of the backends that share the store here';

/** An address, as a proxy may have told it. */
const CALLER = /^[\w.:%[\]-]{0,200}$/;

interface PeerParts {
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  /** Of the backends that share the store. */
  readonly secret: () => string;
}

/** Requests of one backend that another one sends on, each with who asks. */
export class AdmittedPeers {
  readonly #parts: PeerParts;

  constructor(parts: PeerParts) {
    this.#parts = parts;
  }

  /** What another backend is told of who asks. */
  headersOf(principal: Principal, caller: string): Readonly<Record<string, string>> {
    const { authenticator, secret } = this.#parts;
    const credential = authenticator.sentVersionOf(principal);
    return {
      [PEER_HEADERS.secret]: secret(),
      [PEER_HEADERS.principal]: voucherText(authenticator.voucherOf(principal)),
      ...(credential !== undefined && { [PEER_HEADERS.credential]: credential }),
      [PEER_HEADERS.caller]: caller,
    };
  }

  /**
   * Refuses whoever only says that it is another backend. That counts as a wrong password, and takes its time.
   *
   * @throws MonError `unauthenticated`, `unavailable`
   */
  async refuseStranger({ headers, socket }: ReceivedRequest): Promise<void> {
    const { authenticator, callers } = this.#parts;
    const address = socket.remoteAddress ?? '';
    if (this.#isMember(headers)) return callers.noteMember(address);
    await authenticator.refuseSlowly(address).catch((error: unknown) => {
      throw error instanceof MonError && error.code === 'unauthenticated' ? new MonError(error.code, NO_MEMBER) : error;
    });
  }

  /**
   * Whose request it is.
   *
   * @throws MonError `unauthenticated` when his credentials do not count here, `invalid` for what no backend says
   */
  senderOf({ headers }: Pick<ReceivedRequest, 'headers'>): Sender {
    const voucher = parseVoucher(text(headers, PEER_HEADERS.principal));
    const caller = text(headers, PEER_HEADERS.caller);
    if (voucher === undefined || !CALLER.test(caller)) {
      throw new MonError('invalid', 'the backend that sends this on does not say who asks: give all the same version');
    }
    const isOfV2 = headers[PEER_HEADERS.face] === 'v2';
    const credentialVersion = text(headers, PEER_HEADERS.credential) || undefined;
    return { principal: this.#parts.authenticator.ofVoucher(voucher, credentialVersion), caller, isOfV2 };
  }

  /** The time of the comparison tells nothing. */
  #isMember(headers: IncomingHttpHeaders): boolean {
    const secret = this.#parts.secret();
    return secret !== '' && timingSafeEqual(digestOf(text(headers, PEER_HEADERS.secret)), digestOf(secret));
  }
}

/** Whether another backend sends it on, or says so. */
export function isSentOn({ headers }: Pick<ReceivedRequest, 'headers'>): boolean {
  return headers[PEER_HEADERS.secret] !== undefined;
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
