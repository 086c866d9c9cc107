import { z } from 'zod';
import type { Principal } from './principal.ts';

/**
 * The identity of a caller whom another backend with the same store has authenticated. It contains no rights: the
 * backend that receives it looks them up. So a forwarded request never has more rights than a direct request.
 */
export interface Voucher extends Pick<
  Principal,
  'name' | 'via' | 'keyId' | 'sessionId' | 'authority' | 'clientNames' | 'certificateOrigin' | 'expiresMs'
> {
  /** Time when the password of a stored user was set, epoch milliseconds. */
  readonly passwordChangedMs?: number | undefined;
}

/**
 * Maximum length of an encoded voucher in characters. It contains all client names of a certificate, which can be many.
 */
const TEXT_LENGTH_MAX = 8 * 1024;

const NAME = z.string().max(1024);

const schema: z.ZodType<Voucher> = z.strictObject({
  name: NAME,
  via: z.enum(['open', 'nobody', 'local', 'password', 'key', 'token', 'certificate']),
  keyId: NAME.optional(),
  sessionId: NAME.optional(),
  authority: NAME.optional(),
  clientNames: z.array(NAME).optional(),
  certificateOrigin: z
    .strictObject({ authorities: z.array(NAME), organizations: z.array(NAME), units: z.array(NAME) })
    .optional(),
  expiresMs: z.number().optional(),
  passwordChangedMs: z.number().optional(),
});

/** Encodes a voucher as the value of an HTTP header. */
export function voucherText(voucher: Voucher): string {
  return Buffer.from(JSON.stringify(voucher)).toString('base64url');
}

/** @returns the voucher; undefined if the text is not a valid voucher */
export function parseVoucher(text: string): Voucher | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  try {
    return schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
