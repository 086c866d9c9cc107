import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks in CIDR notation, to be asked for addresses. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), familyName(address));
  }
  return list;
}

/** `BlockList` sees an IPv4 address in an IPv6 one by itself. What is no address is in no network. */
export function contains(list: BlockList, address: string): boolean {
  // The zone (`fe80::1%eth0`) says through which interface, not where.
  const [plain = ''] = address.split('%');
  return isIP(plain) !== 0 && list.check(plain, familyName(plain));
}

function familyName(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Networks of a setting that a reload may change: made anew only when it did. */
export class ListedNetworks {
  readonly #networks: () => readonly string[];
  #made: { readonly networks: readonly string[]; readonly list: BlockList } | undefined;

  constructor(networks: () => readonly string[]) {
    this.#networks = networks;
  }

  contain(address: string): boolean {
    const networks = this.#networks();
    if (networks.length === 0) return false;
    if (this.#made?.networks !== networks) this.#made = { networks, list: networkList(networks) };
    return contains(this.#made.list, address);
  }
}

/** IPv6 by its first half: whoever has one such address has all of the same first half. */
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
