import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import {
  addressRefusal,
  isAllowedAddress,
  SPECIAL_NETWORKS,
  type AddressKind,
  type AddressRule,
} from '../../../../shared/domain/address-rules.ts';
import { MonError } from '../../../../shared/errors.ts';
import { contains, ListedNetworks, networkList } from '../../access/networks.ts';
import type { Clock } from '../../ports.ts';
import { NameLookups, type LookUp } from './name-lookups.ts';

/** Addresses that were checked. Connections use only these, so a later look-up cannot redirect them. */
export type CheckedAddresses = readonly [LookupAddress, ...LookupAddress[]];

interface AddressParts {
  readonly clock: Clock;
  /** Returns the setting `handler-networks`. It is read for each look-up. */
  readonly networks: () => readonly string[];
  /** Returns all addresses of a name; default: the resolver of this machine. */
  readonly lookUp?: LookUp;
}

/** The check of the addresses that handlers may send to (security S15). */
export class TargetAddresses {
  readonly #listed: ListedNetworks;
  readonly #names: NameLookups;

  constructor({ clock, networks, lookUp = (name) => lookup(name, { all: true }) }: AddressParts) {
    this.#listed = new ListedNetworks(networks);
    this.#names = new NameLookups(clock, lookUp);
  }

  /**
   * Returns the addresses of a host that the operator wrote into a definition. A literal address is used as written,
   * and `localhost` must resolve to a loopback address. Any other name is subject to the rule, because others may
   * control what it resolves to.
   *
   * @throws MonError `forbidden` when no address of it is allowed, `unavailable` when it has none or the look-up times
   * out
   */
  async written(host: string, rule: Exclude<AddressRule, 'loopback'>, signal: AbortSignal): Promise<CheckedAddresses> {
    const plain = withoutBrackets(host);
    const family = isIP(plain);
    if (family !== 0) return [{ address: plain, family }];
    return await this.#allowed(plain, /^localhost\.?$/i.test(plain) ? 'loopback' : rule, signal);
  }

  /**
   * Returns the addresses of a host that a redirect names.
   *
   * @throws MonError as `written` does, also for a literal address
   */
  async redirected(host: string, signal: AbortSignal): Promise<CheckedAddresses> {
    return await this.#allowed(withoutBrackets(host), 'public', signal);
  }

  async #allowed(host: string, rule: AddressRule, signal: AbortSignal): Promise<CheckedAddresses> {
    const family = isIP(host);
    const addresses = family === 0 ? await this.#names.lookUp(host, signal) : [{ address: host, family }];
    const [first] = addresses;
    if (first === undefined) throw new MonError('unavailable', `${host} has no address`);
    const [allowed, ...others] = addresses.filter(({ address }) => this.#isAllowed(address, rule));
    if (allowed === undefined) {
      throw new MonError('forbidden', addressRefusal(host, first.address, kindOfAddress(first.address)));
    }
    return [allowed, ...others];
  }

  #isAllowed(address: string, rule: AddressRule): boolean {
    return isAllowedAddress(kindOfAddress(address), rule) || this.#listed.contain(address);
  }
}

/**
 * Returns a look-up function for socket options. It always returns the checked addresses, whatever name is looked up.
 */
export function lookupOf(addresses: CheckedAddresses): LookupFunction {
  return (_hostname, options, callback) => {
    const [{ address, family }] = addresses;
    // Call back asynchronously, as a real look-up does: a socket cannot take a result at once.
    if (options.all === true) process.nextTick(() => callback(null, [...addresses]));
    else process.nextTick(() => callback(null, address, family));
  };
}

const SPECIAL_LISTS = SPECIAL_NETWORKS.map(([kind, networks]) => [kind, networkList(networks)] as const);

/** IPv4-mapped IPv6 addresses. As a list it also holds all IPv4 addresses, so only IPv6 ones may be looked up. */
const MAPPED_LIST = networkList(['::ffff:0:0/96']);

/** @param address IPv4 or IPv6, in any spelling */
export function kindOfAddress(address: string): AddressKind {
  const special = SPECIAL_LISTS.find(([, list]) => contains(list, address))?.[0];
  if (special !== undefined) return special;
  return address.includes(':') && contains(MAPPED_LIST, address) ? 'reserved' : 'public';
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
