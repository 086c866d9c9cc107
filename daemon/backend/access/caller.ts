import type { IncomingHttpHeaders } from 'node:http';
import { callerAddress } from '../../../shared/domain/caller-address.ts';
import { ListedNetworks } from './networks.ts';
import { isLoopback } from './host.ts';

/** The parts of a request that show its origin; also for upgrade requests. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Maximum number of remembered addresses of other backends: each may come back with another one. */
const MEMBERS_MAX = 1000;

/**
 * Determines the address under which the sender of a request is counted and named: its own, or behind a proxy of
 * `trusted-proxies` the one that the proxy reports. It is no proof that the sender is on this machine.
 */
export class Callers {
  readonly #proxies: ListedNetworks;
  /** Addresses of backends with the same store. */
  readonly #members = new Set<string>();

  /** @param trustedProxies returns networks, called each time */
  constructor(trustedProxies: () => readonly string[]) {
    this.#proxies = new ListedNetworks(trustedProxies);
  }

  /**
   * True if this peer represents many senders: a trusted proxy, this machine, where a proxy may run, or another
   * backend.
   */
  isShared(peer: string): boolean {
    return isLoopback(peer.replace(/^::ffff:/, '')) || this.#members.has(peer) || this.#proxies.contain(peer);
  }

  /** Records the address of another backend with the same store, which forwards requests. */
  noteMember(peer: string): void {
    this.#members.add(peer);
    const [oldest] = this.#members;
    if (this.#members.size > MEMBERS_MAX && oldest !== undefined) this.#members.delete(oldest);
  }

  addressOf({ headers, socket }: ReceivedRequest): string {
    const peer = socket.remoteAddress ?? '';
    if (!this.#proxies.contain(peer)) return peer;
    const { 'x-forwarded-for': list, forwarded } = headers;
    const joined = typeof list === 'object' ? list.join(',') : list;
    return callerAddress(peer, { 'x-forwarded-for': joined, forwarded }, (address) => this.#proxies.contain(address));
  }
}
