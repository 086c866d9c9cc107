/** Class of a network address. It decides whether handlers are allowed to send to the address. */
export type AddressKind =
  'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'multicast' | 'unspecified' | 'reserved';

/**
 * Networks that are not public (IANA registries of special-purpose addresses). If several contain an address, the first
 * in this list decides. An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`) has the class of its IPv4 address. If that is
 * public, the mapped address is reserved, because no legitimate name resolves to one. Other IPv6 ranges that embed IPv4
 * addresses are reserved as a whole, so that the embedded addresses need no check.
 */
export const SPECIAL_NETWORKS: readonly (readonly [kind: AddressKind, networks: readonly string[]])[] = [
  // Metadata services of clouds, which hand out credentials; 169.254.169.254 is link-local already.
  ['metadata', ['100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128', 'fd20:ce::254/128']],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '::/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '3fff::/20',
      'fec0::/10',
    ],
  ],
];

/**
 * Classes of addresses to which the host name of a handler is allowed to resolve (security S15).
 *
 * - `public`: webhooks and the targets of redirects
 * - `own-network`: tcp and udp handlers, whose receivers usually run in the operator's own network
 * - `loopback`: `localhost`, which must resolve to a loopback address
 */
export type AddressRule = 'public' | 'own-network' | 'loopback';

const ALLOWED_KINDS: Readonly<Record<AddressRule, readonly AddressKind[]>> = {
  public: ['public'],
  'own-network': ['public', 'loopback', 'private'],
  loopback: ['loopback'],
};

export function isAllowedAddress(kind: AddressKind, rule: AddressRule): boolean {
  return ALLOWED_KINDS[rule].includes(kind);
}

/** Returns the error message for an address to which handlers are not allowed to send: the reason and the remedy. */
export function addressRefusalMessage(host: string, address: string, kind: AddressKind): string {
  const what = host === address ? address : `${host} leads to ${address}, which`;
  return `${what} is a ${kind} address, and handlers do not send there: list its network in handler-networks if they should`;
}
