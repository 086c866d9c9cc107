/** What an address is for, as far as that decides whether a handler may send there. */
export type AddressKind =
  'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'multicast' | 'unspecified' | 'reserved';

/**
 * Networks that are not public, the more special ones first (IANA registries of special-purpose addresses). An IPv4
 * address in the form of IPv6 (`::ffff:127.0.0.1`) counts as the IPv4 address, and as reserved where that one is
 * public: no name leads to one in good faith. Other ways to wrap one into an IPv6 address are reserved as a whole: what
 * they lead to would have to be looked at again.
 */
export const SPECIAL_NETWORKS: readonly (readonly [kind: AddressKind, networks: readonly string[]])[] = [
  // Where clouds tell a machine its own credentials, beside 169.254.169.254.
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
 * Where a name may lead (security S15).
 *
 * - `public`: a webhook, and everything that a redirect names
 * - `own-network`: tcp and udp handlers, whose receivers stand in one's own network as a rule
 * - `loopback`: `localhost`, whatever a resolver makes of it
 */
export type AddressRule = 'public' | 'own-network' | 'loopback';

const ALLOWED: Readonly<Record<AddressRule, readonly AddressKind[]>> = {
  public: ['public'],
  'own-network': ['public', 'loopback', 'private'],
  loopback: ['loopback'],
};

export function isAllowedAddress(kind: AddressKind, rule: AddressRule): boolean {
  return ALLOWED[rule].includes(kind);
}

/** Why nothing is sent to an address, and what to do about it. */
export function addressRefusal(host: string, address: string, kind: AddressKind): string {
  const what = host === address ? address : `${host} leads to ${address}, which`;
  return `${what} is a ${kind} address, and handlers do not send there: list its network in handler-networks if they should`;
}
