import { describe, expect, test } from 'vitest';
import { callerAddress, isForwarded } from '../../../shared/domain/caller-address.ts';

const isTrusted = (address: string): boolean => address.startsWith('10.') || address === '2001:db8::7';

describe('the address of a caller', () => {
  test.each([
    {
      name: 'is the address of the connection if the peer is not a trusted proxy',
      peer: '192.0.2.1',
      list: '198.51.100.1',
      is: '192.0.2.1',
    },
    { name: 'is the address that a trusted proxy reports', peer: '10.0.0.1', list: '198.51.100.1', is: '198.51.100.1' },
    {
      name: 'is the last reported address that is not a trusted proxy',
      peer: '10.0.0.1',
      list: '1.1.1.1, 198.51.100.1,10.0.0.2',
      is: '198.51.100.1',
    },
    {
      name: 'is the first reported address if all are trusted proxies',
      peer: '10.0.0.1',
      list: '10.0.0.3, 10.0.0.2',
      is: '10.0.0.3',
    },
    {
      name: 'is the address of the proxy if the proxy reports none',
      peer: '10.0.0.1',
      list: undefined,
      is: '10.0.0.1',
    },
    {
      name: 'is the address of the proxy that reports an invalid address',
      peer: '10.0.0.1',
      list: '198.51.100.1, unknown, 10.0.0.2',
      is: '10.0.0.2',
    },
    {
      name: 'is never a reported address with a number out of range',
      peer: '10.0.0.1',
      list: '198.51.100.256',
      is: '10.0.0.1',
    },
    { name: 'is read without the port', peer: '10.0.0.1', list: '198.51.100.1:4711', is: '198.51.100.1' },
    { name: 'is read without the brackets of IPv6', peer: '10.0.0.1', list: '[2001:db8::1]:4711', is: '2001:db8::1' },
    {
      name: 'is searched in at most twenty reported addresses',
      peer: '10.0.0.1',
      list: `1.1.1.1${',10.0.0.2'.repeat(20)}`,
      is: '10.0.0.2',
    },
  ])('the address of a caller $name', ({ peer, list, is }) => {
    expect(callerAddress(peer, { 'x-forwarded-for': list }, isTrusted)).toBe(is);
  });

  test.each([
    { forwarded: 'for=198.51.100.1;proto=https', is: '198.51.100.1' },
    { forwarded: 'by=1.1.1.1; For="[2001:db8::1]:80", for=10.0.0.2', is: '2001:db8::1' },
    { forwarded: 'for=198.51.100.1, for="2001:db8::7"', is: '198.51.100.1' },
    { forwarded: 'for=_hidden', is: '10.0.0.1' },
    { forwarded: 'proto=https', is: '10.0.0.1' },
  ])('the address of a caller is read from the header Forwarded: $forwarded', ({ forwarded, is }) => {
    expect(callerAddress('10.0.0.1', { forwarded }, isTrusted)).toBe(is);
  });
});

test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
  'a request with the header %s counts as forwarded by a proxy',
  (name) => {
    expect(isForwarded({ [name]: '' })).toBe(true);
    expect(isForwarded({ host: 'localhost' })).toBe(false);
  },
);
