import type { IncomingHttpHeaders } from 'node:http';
import { callerAddress } from '../../../shared/domain/caller-address.ts';
import { ListedNetworks } from './networks.ts';
import { isLoopback } from './host.ts';

/** What tells where a request comes from, also one that asks for an upgrade. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Addresses of other backends that are known: each may come back with another one. */
const MEMBERS_MAX = 1000;

/**
 * Who is counted and named as the sender of a request: its address, or behind a proxy of `trusted-proxies` the one that
 * the proxy tells. It is no proof of being on this machine.
 */
export class Callers {
  readonly #proxies: ListedNetworks;
  /** Of backends with the same store. */
  readonly #members = new Set<string>();

  /** @param trustedProxies networks, asked each time */
  constructor(trustedProxies: () => readonly string[]) {
    this.#proxies = new ListedNetworks(trustedProxies);
  }

  /** Whether this peer speaks for many: a proxy that is trusted, this machine, where one may run, or another backend. */
  isShared(peer: string): boolean {
    return isLoopback(peer.replace(/^::ffff:/, '')) || this.#members.has(peer) || this.#proxies.contain(peer);
  }

  /** Notes where another backend with the same store is, which sends on what comes to it. */
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
