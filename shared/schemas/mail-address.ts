import { z } from 'zod';

/** An e-mail address such as `ops@example.com` or `Operators <ops@example.com>`. `name` is empty if there is none. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const ADDRESS_FORMAT =
  /^(?:(?<name>[^<>\p{Cc}]*?)\s*<(?<within>[^\s<>@,;\p{Cc}]+@[^\s<>@,;\p{Cc}]+)>|(?<bare>[^\s<>@,;\p{Cc}]+@[^\s<>@,;\p{Cc}]+))$/u;

/** Parses an e-mail address; undefined if it is invalid. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const { name = '', within, bare } = ADDRESS_FORMAT.exec(text)?.groups ?? {};
  const address = within ?? bare;
  return address === undefined ? undefined : { name: name.replace(/^"(.*)"$/, '$1'), address };
}

export const mailAddressSchema = z
  .string()
  .max(320)
  .refine((text) => parseMailAddress(text) !== undefined, 'must be an address, or a name with an address in < >');

/** One e-mail address, or a list of them. */
export const mailAddressesSchema = z.union(
  [mailAddressSchema, z.array(mailAddressSchema).min(1).max(50)],
  'must be an address, or a list of 1 to 50 of them',
);
