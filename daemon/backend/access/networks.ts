import { BlockList, isIP, isIPv4 } from 'node:net';

/** Converts networks in CIDR notation to a list that can be searched for addresses. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), familyName(address));
  }
  return list;
}

/**
 * True if a network in the list contains the address, also an IPv4 address in IPv6 form. An invalid address is in no
 * network.
 */
export function listContains(list: BlockList, address: string): boolean {
  // The zone of an IPv6 address (`fe80::1%eth0`) names an interface and is not part of the address.
  const [plain = ''] = address.split('%');
  return isIP(plain) !== 0 && list.check(plain, familyName(plain));
}

function familyName(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Searches the networks of a setting that a reload can change. The search list is rebuilt only after such a change. */
export class NetworkList {
  readonly #networks: () => readonly string[];
  #cachedList: { readonly networks: readonly string[]; readonly list: BlockList } | undefined;

  constructor(networks: () => readonly string[]) {
    this.#networks = networks;
  }

  includesAddress(address: string): boolean {
    const networks = this.#networks();
    if (networks.length === 0) return false;
    if (this.#cachedList?.networks !== networks) this.#cachedList = { networks, list: networkList(networks) };
    return listContains(this.#cachedList.list, address);
  }
}

/**
 * Returns the network to which the limits for an address apply: the IPv4 address itself, or the first 64 bits of an
 * IPv6 address, because one host usually has all addresses of such a network.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '');
  if (isIPv4(plain) || !plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0');
  return [...groups, ...zeros, ...last].slice(0, 4).join(':');
}
