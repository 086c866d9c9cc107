import { describe, expect, test } from 'vitest';
import {
  classifyAddress,
  pinnedLookup,
  TargetResolver,
} from '../../../../../daemon/backend/notify/delivery/addresses.ts';
import type { AddressKind } from '../../../../../shared/domain/address-rules.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const NEVER = new AbortController().signal;

/** Names and addresses that the tests use instead of public name servers. */
const NAME_TABLE: Readonly<Record<string, readonly string[]>> = {
  'hooks.example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'graphite.internal': ['10.2.3.4'],
  'me.example.com': ['127.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:169.254.169.254'],
  'both.example.com': ['192.168.1.1', '93.184.215.14'],
  localhost: ['::1', '127.0.0.1'],
  'localhost.': ['203.0.113.7', '127.0.0.1'],
  'multicast.example.com': ['239.1.1.1'],
};

function addresses({ networks = [] as readonly string[], world = NAME_TABLE, clock = new ManualClock() } = {}) {
  const asked: string[] = [];
  const target = new TargetResolver({
    clock,
    alwaysAllowedNetworks: () => networks,
    lookUp: (name) => {
      asked.push(name);
      const found = world[name];
      if (found === undefined) return Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`));
      return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    },
  });
  return Object.assign(target, { asked });
}

const plain = (checked: readonly { readonly address: string }[]) => checked.map(({ address }) => address);

describe('the kind of an address', () => {
  test.each<{ address: string; kind: AddressKind }>([
    { address: '93.184.215.14', kind: 'public' },
    { address: '2606:4700::1111', kind: 'public' },
    { address: '2001:4860:4860::8888', kind: 'public' },
    { address: '::ffff:93.184.215.14', kind: 'reserved' },
    { address: '127.0.0.1', kind: 'loopback' },
    { address: '127.255.255.254', kind: 'loopback' },
    { address: '::1', kind: 'loopback' },
    { address: '::ffff:127.0.0.1', kind: 'loopback' },
    { address: '::ffff:7f00:1', kind: 'loopback' },
    { address: '0:0:0:0:0:ffff:7f00:0001', kind: 'loopback' },
    { address: '10.0.0.1', kind: 'private' },
    { address: '172.16.0.1', kind: 'private' },
    { address: '172.31.255.255', kind: 'private' },
    { address: '172.32.0.1', kind: 'public' },
    { address: '192.168.0.1', kind: 'private' },
    { address: '100.64.0.1', kind: 'private' },
    { address: 'fd12::1', kind: 'private' },
    { address: '::ffff:10.0.0.1', kind: 'private' },
    { address: '169.254.169.254', kind: 'link-local' },
    { address: '::ffff:a9fe:a9fe', kind: 'link-local' },
    { address: 'fe80::1', kind: 'link-local' },
    { address: 'fe80::1%eth0', kind: 'link-local' },
    { address: 'fd00:ec2::254', kind: 'metadata' },
    { address: '100.100.100.200', kind: 'metadata' },
    { address: '168.63.129.16', kind: 'metadata' },
    { address: '::ffff:168.63.129.16', kind: 'metadata' },
    { address: '::ffff:8.8.8.8', kind: 'reserved' },
    { address: '::ffff:808:808', kind: 'reserved' },
    { address: '::fffe:808:808', kind: 'public' },
    { address: '224.0.0.1', kind: 'multicast' },
    { address: 'ff02::1', kind: 'multicast' },
    { address: '0.0.0.0', kind: 'unspecified' },
    { address: '::', kind: 'unspecified' },
    { address: '::ffff:0.0.0.0', kind: 'unspecified' },
    { address: '255.255.255.255', kind: 'reserved' },
    { address: '64:ff9b::7f00:1', kind: 'reserved' },
    { address: '2002:7f00:1::', kind: 'reserved' },
    { address: '::7f00:1', kind: 'reserved' },
  ])('the target address $address is of the kind "$kind"', ({ address, kind }) => {
    expect(classifyAddress(address)).toBe(kind);
  });
});

describe('the target host in a handler definition', () => {
  test.each(['127.0.0.1', '169.254.169.254', '::1', '[::1]', '10.0.0.1'])(
    'a handler may send to an IP address in its definition without a lookup: %s',
    async (host) => {
      const target = addresses();
      expect(plain(await target.resolveConfiguredHost(host, 'public', NEVER))).toEqual([host.replace(/[[\]]/g, '')]);
      expect(target.asked).toEqual([]);
    },
  );

  test('localhost in a handler definition is a loopback address, whatever a name server returns', async () => {
    expect(plain(await addresses().resolveConfiguredHost('localhost', 'public', NEVER))).toEqual(['::1', '127.0.0.1']);
    expect(plain(await addresses().resolveConfiguredHost('localhost.', 'public', NEVER))).toEqual(['127.0.0.1']);
  });

  test.each<{ host: string; webhook: boolean; tcp: boolean }>([
    { host: 'hooks.example.com', webhook: true, tcp: true },
    { host: 'graphite.internal', webhook: false, tcp: true },
    { host: 'me.example.com', webhook: false, tcp: true },
    { host: 'metadata.example.com', webhook: false, tcp: false },
    { host: 'mapped.example.com', webhook: false, tcp: false },
    { host: 'multicast.example.com', webhook: false, tcp: false },
  ])(
    'the target host $host is allowed for webhooks: $webhook, for tcp and udp handlers: $tcp',
    async ({ host, webhook, tcp }) => {
      const isAllowed = async (rule: 'public' | 'own-network') =>
        await addresses()
          .resolveConfiguredHost(host, rule, NEVER)
          .then(() => true)
          .catch((error: { code: string }) => (error.code === 'forbidden' ? false : error));
      expect([await isAllowed('public'), await isAllowed('own-network')]).toEqual([webhook, tcp]);
    },
  );

  test('a host name with several addresses is used only with its allowed addresses', async () => {
    expect(plain(await addresses().resolveConfiguredHost('both.example.com', 'public', NEVER))).toEqual([
      '93.184.215.14',
    ]);
  });
});

describe('the target of a webhook redirect', () => {
  test.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', 'localhost', 'graphite.internal', '10.1.1.1', '169.254.169.254'])(
    'a redirect to a host that is not public is rejected: %s',
    async (host) => {
      await expect(addresses().resolveRedirectHost(host, NEVER)).rejects.toMatchObject({ code: 'forbidden' });
    },
  );

  test.each(['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0x7f.1'])(
    'a redirect to a loopback address is rejected in every spelling of the address: %s',
    async (spelling) => {
      // The URL parser converts every spelling into the usual form of an address.
      const { hostname } = new URL(`http://${spelling}/`);
      await expect(addresses().resolveRedirectHost(hostname, NEVER)).rejects.toMatchObject({ code: 'forbidden' });
    },
  );

  test('a webhook redirect to a public address is allowed', async () => {
    expect(plain(await addresses().resolveRedirectHost('93.184.215.14', NEVER))).toEqual(['93.184.215.14']);
  });
});

test('a host in a spelling that only the resolver understands is checked by its resolved address', async () => {
  // Without a table of names, the resolver of this machine parses such texts as addresses.
  const target = new TargetResolver({ clock: new ManualClock(), alwaysAllowedNetworks: () => [] });
  await expect(target.resolveConfiguredHost('0xa9fea9fe', 'own-network', NEVER)).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(target.resolveConfiguredHost('2130706433', 'public', NEVER)).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect(plain(await target.resolveConfiguredHost('017700000001', 'own-network', NEVER))).toEqual(['127.0.0.1']);
});

describe('the setting handler-networks', () => {
  test('addresses in handler-networks are allowed as targets and as redirects of handlers', async () => {
    const target = addresses({ networks: ['10.2.0.0/16', '127.0.0.0/8', 'fd00::/8'] });
    expect(plain(await target.resolveConfiguredHost('graphite.internal', 'public', NEVER))).toEqual(['10.2.3.4']);
    expect(plain(await target.resolveRedirectHost('127.0.0.1', NEVER))).toEqual(['127.0.0.1']);
    expect(plain(await target.resolveRedirectHost('[::ffff:127.0.0.1]', NEVER))).toEqual(['::ffff:127.0.0.1']);
    await expect(target.resolveRedirectHost('10.3.0.1', NEVER)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a reload of handler-networks applies to the next deliveries', async () => {
    let networks: readonly string[] = [];
    const target = new TargetResolver({ clock: new ManualClock(), alwaysAllowedNetworks: () => networks });
    await expect(target.resolveRedirectHost('10.2.3.4', NEVER)).rejects.toMatchObject({ code: 'forbidden' });
    networks = ['10.2.0.0/16'];
    expect(plain(await target.resolveRedirectHost('10.2.3.4', NEVER))).toEqual(['10.2.3.4']);
  });
});

test('the error for a rejected target address contains the reason and the setting that allows the address', async () => {
  await expect(addresses().resolveConfiguredHost('graphite.internal', 'public', NEVER)).rejects.toThrow(
    'graphite.internal leads to 10.2.3.4, which is a private address, and handlers do not send there: ' +
      'list its network in handler-networks if they should',
  );
  await expect(addresses().resolveRedirectHost('127.0.0.1', NEVER)).rejects.toThrow(
    /^127\.0\.0\.1 is a loopback address/,
  );
});

describe('the lookup of a target host', () => {
  test('the lookup of an unknown host name fails with the code "unavailable"', async () => {
    await expect(addresses().resolveConfiguredHost('no.example.com', 'public', NEVER)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'no.example.com has no address: the name does not exist',
    });
  });

  test('concurrent callers share the lookup of a host name, which is repeated after five seconds', async () => {
    const clock = new ManualClock();
    const target = addresses({ clock });
    const ask = async () => await target.resolveConfiguredHost('hooks.example.com', 'public', NEVER);
    await Promise.all([ask(), ask(), ask()]);
    clock.advance(4999);
    await ask();
    expect(target.asked).toHaveLength(1);
    clock.advance(1);
    await ask();
    expect(target.asked).toHaveLength(2);
  });

  test('the lookups of the last thousand names are cached', async () => {
    const asked: string[] = [];
    const target = new TargetResolver({
      clock: new ManualClock(),
      alwaysAllowedNetworks: () => [],
      lookUp: (name) => {
        asked.push(name);
        return Promise.resolve([{ address: '93.184.215.14', family: 4 }]);
      },
    });
    for (let at = 0; at <= 1000; at++)
      await target.resolveConfiguredHost(`n${String(at)}.example.com`, 'public', NEVER);
    await target.resolveConfiguredHost('n1000.example.com', 'public', NEVER);
    expect(asked).toHaveLength(1001);
    await target.resolveConfiguredHost('n0.example.com', 'public', NEVER);
    expect(asked).toHaveLength(1002);
  });

  test('a hanging lookup blocks at most one other lookup, and every lookup can be aborted', async () => {
    const hanging = Promise.withResolvers<never>();
    const asked: string[] = [];
    const target = new TargetResolver({
      clock: new ManualClock(),
      alwaysAllowedNetworks: () => [],
      lookUp: (name) => {
        asked.push(name);
        return name.startsWith('hangs') ? hanging.promise : Promise.resolve([{ address: '93.184.215.14', family: 4 }]);
      },
    });
    const patience = new AbortController();
    const ask = async (name: string) => await target.resolveConfiguredHost(name, 'public', patience.signal);
    const first = ask('hangs-1.example.com');
    expect(plain(await ask('works.example.com'))).toEqual(['93.184.215.14']);
    const second = ask('hangs-2.example.com');
    const third = ask('waits.example.com');
    patience.abort();
    for (const waiting of [first, second, third]) {
      await expect(waiting).rejects.toMatchObject({ code: 'unavailable', message: /timed out$/ });
    }
    // The third lookup never started, because the hanging ones occupy all threads that lookups may use.
    expect(asked).toEqual(['hangs-1.example.com', 'works.example.com', 'hangs-2.example.com']);
  });
});

test('a socket of a handler connects only to the addresses that were checked', async () => {
  const look = pinnedLookup([
    { address: '93.184.215.14', family: 4 },
    { address: '2606:2800::1', family: 6 },
  ]);
  const { promise: all, resolve } = Promise.withResolvers<unknown>();
  look('rebound.example.com', { all: true }, (_error, found) => resolve(found));
  expect(await all).toHaveLength(2);
  const { promise: one, resolve: resolveOne } = Promise.withResolvers<unknown>();
  look('rebound.example.com', {}, (_error, address, family) => resolveOne([address, family]));
  expect(await one).toEqual(['93.184.215.14', 4]);
});
