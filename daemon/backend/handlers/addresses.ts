import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import {
  addressRefusal,
  isAllowedAddress,
  SPECIAL_NETWORKS,
  type AddressKind,
  type AddressRule,
} from '../../../shared/domain/address-rules.ts';
import { MonError } from '../../../shared/errors.ts';
import { contains, ListedNetworks, networkList } from '../access/networks.ts';
import type { Clock } from '../ports.ts';
import { NameLookups, type LookUp } from './name-lookups.ts';

/** Addresses that were checked: connections go to one of them, and to nothing that a later look-up says. */
export type CheckedAddresses = readonly [LookupAddress, ...LookupAddress[]];

interface AddressParts {
  readonly clock: Clock;
  /** The setting `handler-networks`, asked each time. */
  readonly networks: () => readonly string[];
  /** All addresses of a name; default: what this machine knows. */
  readonly lookUp?: LookUp;
}

/** Where handlers may send (security S15). */
export class TargetAddresses {
  readonly #listed: ListedNetworks;
  readonly #names: NameLookups;

  constructor({ clock, networks, lookUp = (name) => lookup(name, { all: true }) }: AddressParts) {
    this.#listed = new ListedNetworks(networks);
    this.#names = new NameLookups(clock, lookUp);
  }

  /**
   * The addresses of a host as the operator wrote it into a definition. An address, or `localhost`, is meant as it
   * stands there; any other name is under the rule, because others may decide what it leads to.
   *
   * @throws MonError `forbidden` when no address of it is allowed, `unavailable` when it has none or does not tell in
   * time
   */
  async written(host: string, rule: Exclude<AddressRule, 'loopback'>, signal: AbortSignal): Promise<CheckedAddresses> {
    const plain = withoutBrackets(host);
    const family = isIP(plain);
    if (family !== 0) return [{ address: plain, family }];
    return await this.#allowed(plain, /^localhost\.?$/i.test(plain) ? 'loopback' : rule, signal);
  }

  /**
   * The addresses of a host that the answer of somebody else names.
   *
   * @throws MonError as `written` does, also for an address that stands there itself
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

/** For the options of a socket: answers with what was checked, whatever it is asked. */
export function lookupOf(addresses: CheckedAddresses): LookupFunction {
  return (_hostname, options, callback) => {
    const [{ address, family }] = addresses;
    // Later, as a real one: a socket is not ready for an answer at once.
    if (options.all === true) process.nextTick(() => callback(null, [...addresses]));
    else process.nextTick(() => callback(null, address, family));
  };
}

const SPECIAL_LISTS = SPECIAL_NETWORKS.map(([kind, networks]) => [kind, networkList(networks)] as const);

/**
 * IPv4 addresses in the form of IPv6. As a list it also holds all IPv4 addresses, so only IPv6 ones may be looked up.
 */
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
