import { expect, test } from 'vitest';
import { parseVoucher, voucherText, type Voucher } from '../../../../daemon/backend/access/voucher.ts';

const VOUCHER: Voucher = { name: 'ann', via: 'key', keyId: 'a1', clientNames: ['web-1'], expiresMs: 7 };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a voucher for a forwarded request is read exactly as it was written', () => {
  expect(parseVoucher(voucherText(VOUCHER))).toEqual(VOUCHER);
});

test.each([
  [
    'a text that is too long',
    voucherText({ ...VOUCHER, clientNames: Array.from({ length: 50 }, () => 'x'.repeat(250)) }),
  ],
  ['a text that is not JSON', 'bm90IEpTT04'],
  ['an empty object', ''],
  ['an unknown way of authentication', encoded({ ...VOUCHER, via: 'friend' })],
  ['a missing user name', encoded({ via: 'key' })],
  ['an unknown attribute', encoded({ ...VOUCHER, scopes: ['admin'] })],
  ['a user name that is too long', encoded({ ...VOUCHER, name: 'x'.repeat(1025) })],
])('a voucher for a forwarded request is rejected: %s', (_what, text) => {
  expect(parseVoucher(text)).toBeUndefined();
});
