import { z } from 'zod';
import type { Principal } from './principal.ts';

/**
 * Who somebody is whom another backend with the same store has let in. It says nothing of rights: those are looked up where
 * they are used, so that nobody has more of them there than by coming straight.
 */
export interface Voucher extends Pick<
  Principal,
  'name' | 'via' | 'keyId' | 'sessionId' | 'authority' | 'clientNames' | 'certificateOrigin' | 'expiresMs'
> {
  /** Of a stored user, when the password that was shown came to be, epoch milliseconds. */
  readonly passwordChangedMs?: number | undefined;
}

/** Longest text of one, in characters: a certificate may name many clients. */
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

/** As a header holds it. */
export function voucherText(voucher: Voucher): string {
  return Buffer.from(JSON.stringify(voucher)).toString('base64url');
}

/** @returns undefined for what is none */
export function parseVoucher(text: string): Voucher | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  try {
    return schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
