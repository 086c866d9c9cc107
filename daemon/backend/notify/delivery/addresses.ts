import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import {
  addressRefusalMessage,
  isAllowedAddress,
  SPECIAL_NETWORKS,
  type AddressKind,
  type AddressRule,
} from '../../../../shared/domain/address-rules.ts';
import { MonError } from '../../../../shared/errors.ts';
import { listContains, NetworkList, networkList } from '../../access/networks.ts';
import type { Clock } from '../../ports.ts';
import { NameLookupCache, type NameResolver } from './name-lookups.ts';

/**
 * The addresses of a host to which a handler may connect. The connection uses only these addresses, because a second
 * name look-up could return a forbidden address (DNS rebinding).
 */
export type AllowedAddresses = readonly [LookupAddress, ...LookupAddress[]];

interface TargetResolverDependencies {
  readonly clock: Clock;
  /**
   * Returns the current setting `handler-networks`: the networks, in CIDR notation, that handlers may always send to.
   */
  readonly alwaysAllowedNetworks: () => readonly string[];
  /** Resolves a host name to all its addresses; default: the resolver of this machine. */
  readonly lookUp?: NameResolver;
}

/** Resolves the hosts that handlers send to, and rejects addresses that handlers may not send to (security S15). */
export class TargetResolver {
  readonly #alwaysAllowedNetworks: NetworkList;
  readonly #nameLookups: NameLookupCache;

  constructor({
    clock,
    alwaysAllowedNetworks,
    lookUp = (name) => lookup(name, { all: true }),
  }: TargetResolverDependencies) {
    this.#alwaysAllowedNetworks = new NetworkList(alwaysAllowedNetworks);
    this.#nameLookups = new NameLookupCache(clock, lookUp);
  }

  /**
   * Returns the addresses of a host in a handler definition to which the handler may connect. A literal IP address is
   * always allowed, and so are addresses in `handler-networks`. For `localhost`, only loopback addresses are allowed.
   * For any other name, only addresses that `rule` allows are returned: somebody other than the operator may control
   * its DNS records.
   *
   * @throws MonError `forbidden` when no address of the host is allowed, `unavailable` when the host has no address or
   * the signal is aborted before the look-up ends
   */
  async resolveConfiguredHost(
    host: string,
    rule: Exclude<AddressRule, 'loopback'>,
    signal: AbortSignal,
  ): Promise<AllowedAddresses> {
    const bareHost = stripIpv6Brackets(host);
    const family = isIP(bareHost);
    if (family !== 0) return [{ address: bareHost, family }];
    return await this.#resolveToAllowedAddresses(
      bareHost,
      /^localhost\.?$/i.test(bareHost) ? 'loopback' : rule,
      signal,
    );
  }

  /**
   * Returns the addresses of the target host of an HTTP redirect to which a handler may connect: public addresses, and
   * addresses in `handler-networks`.
   *
   * @throws MonError `forbidden` when no address of the host is allowed, also for a literal IP address; `unavailable`
   * when the host has no address or the signal is aborted before the look-up ends
   */
  async resolveRedirectHost(host: string, signal: AbortSignal): Promise<AllowedAddresses> {
    return await this.#resolveToAllowedAddresses(stripIpv6Brackets(host), 'public', signal);
  }

  async #resolveToAllowedAddresses(host: string, rule: AddressRule, signal: AbortSignal): Promise<AllowedAddresses> {
    const family = isIP(host);
    const addresses = family === 0 ? await this.#nameLookups.lookUp(host, signal) : [{ address: host, family }];
    const [first] = addresses;
    if (first === undefined) throw new MonError('unavailable', `${host} has no address`);
    const [allowed, ...others] = addresses.filter(({ address }) => this.#isAllowed(address, rule));
    if (allowed === undefined) {
      throw new MonError('forbidden', addressRefusalMessage(host, first.address, classifyAddress(first.address)));
    }
    return [allowed, ...others];
  }

  #isAllowed(address: string, rule: AddressRule): boolean {
    return isAllowedAddress(classifyAddress(address), rule) || this.#alwaysAllowedNetworks.includesAddress(address);
  }
}

/**
 * Returns a `lookup` function for the options of a socket. The function ignores the host name and always returns these
 * addresses.
 */
export function pinnedLookup(addresses: AllowedAddresses): LookupFunction {
  return (_hostname, options, callback) => {
    const [{ address, family }] = addresses;
    // Call the callback asynchronously, as a real look-up does: a socket cannot handle a synchronous call.
    if (options.all === true) process.nextTick(() => callback(null, [...addresses]));
    else process.nextTick(() => callback(null, address, family));
  };
}

const BLOCK_LISTS_BY_ADDRESS_KIND = SPECIAL_NETWORKS.map(([kind, networks]) => [kind, networkList(networks)] as const);

/**
 * The network of the IPv4-mapped IPv6 addresses. `BlockList` reports that this network contains every plain IPv4
 * address too, so only IPv6 addresses may be checked against it.
 */
const IPV4_MAPPED_BLOCK_LIST = networkList(['::ffff:0:0/96']);

/**
 * Returns the kind of an IP address, such as loopback or public, which decides whether a handler may connect to it.
 *
 * @param address an IPv4 or IPv6 address in any spelling
 */
export function classifyAddress(address: string): AddressKind {
  const special = BLOCK_LISTS_BY_ADDRESS_KIND.find(([, list]) => listContains(list, address))?.[0];
  if (special !== undefined) return special;
  return address.includes(':') && listContains(IPV4_MAPPED_BLOCK_LIST, address) ? 'reserved' : 'public';
}

function stripIpv6Brackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
