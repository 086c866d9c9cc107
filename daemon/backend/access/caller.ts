import type { IncomingHttpHeaders } from 'node:http';
import { callerAddress } from '../../../shared/domain/caller-address.ts';
import { NetworkList } from './networks.ts';
import { isLoopback } from './host.ts';

/** The parts of an HTTP or WebSocket upgrade request that identify its sender. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Maximum number of remembered addresses of other backends. A backend can have a new address after each restart. */
const MEMBERS_MAX = 1000;

/**
 * Determines the address of the sender of a request, for limits and logs. Behind a proxy of `trusted-proxies` it is the
 * address that the proxy reports. A local address does not prove that the sender is on this machine.
 */
export class CallerResolver {
  readonly #proxies: NetworkList;
  /** Addresses of the other backends with the same store. */
  readonly #members = new Set<string>();

  /**
   * @param trustedProxies callback that returns the trusted networks; called for each request, because a reload may
   *   change them
   */
  constructor(trustedProxies: () => readonly string[]) {
    this.#proxies = new NetworkList(trustedProxies);
  }

  /**
   * True if requests of many senders can come from this address: it is a trusted proxy, another backend, or this
   * machine, on which a proxy can run.
   */
  isShared(peer: string): boolean {
    return isLoopback(peer.replace(/^::ffff:/, '')) || this.#members.has(peer) || this.#proxies.includesAddress(peer);
  }

  /** Records the address of another backend with the same store, which forwards requests of many senders. */
  noteMember(peer: string): void {
    this.#members.add(peer);
    const [oldest] = this.#members;
    if (this.#members.size > MEMBERS_MAX && oldest !== undefined) this.#members.delete(oldest);
  }

  addressOf({ headers, socket }: ReceivedRequest): string {
    const peer = socket.remoteAddress ?? '';
    if (!this.#proxies.includesAddress(peer)) return peer;
    const { 'x-forwarded-for': list, forwarded } = headers;
    const joined = typeof list === 'object' ? list.join(',') : list;
    return callerAddress(peer, { 'x-forwarded-for': joined, forwarded }, (address) =>
      this.#proxies.includesAddress(address),
    );
  }
}
