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

const nameSchema = z.string().max(1024);

const voucherSchema: z.ZodType<Voucher> = z.strictObject({
  name: nameSchema,
  via: z.enum(['open', 'nobody', 'local', 'password', 'key', 'token', 'certificate']),
  keyId: nameSchema.optional(),
  sessionId: nameSchema.optional(),
  authority: nameSchema.optional(),
  clientNames: z.array(nameSchema).optional(),
  certificateOrigin: z
    .strictObject({ authorities: z.array(nameSchema), organizations: z.array(nameSchema), units: z.array(nameSchema) })
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
    return voucherSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
