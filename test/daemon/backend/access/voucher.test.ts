import { expect, test } from 'vitest';
import { parseVoucher, voucherText, type Voucher } from '../../../../daemon/backend/access/voucher.ts';

const VOUCHER: Voucher = { name: 'ann', via: 'key', keyId: 'a1', clientNames: ['web-1'], expiresMs: 7 };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a voucher is parsed as it was written', () => {
  expect(parseVoucher(voucherText(VOUCHER))).toEqual(VOUCHER);
});

test.each([
  [
    'a text that is too long',
    voucherText({ ...VOUCHER, clientNames: Array.from({ length: 50 }, () => 'x'.repeat(250)) }),
  ],
  ['no JSON', 'bm90IEpTT04'],
  ['nothing', ''],
  ['another way in', encoded({ ...VOUCHER, via: 'friend' })],
  ['no name', encoded({ via: 'key' })],
  ['an attribute that it does not have', encoded({ ...VOUCHER, scopes: ['admin'] })],
  ['a name that is too long', encoded({ ...VOUCHER, name: 'x'.repeat(1025) })],
])('a voucher with %s is rejected', (_what, text) => {
  expect(parseVoucher(text)).toBeUndefined();
});
