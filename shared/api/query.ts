import { z } from 'zod';

/** A query parameter as text. */
export const text = z.string().optional();

/**
 * Parses a number of digits only; other values count as absent (legacy-peer, Pagination). Numbers that are too large
 * become the greatest safe integer.
 */
export function parseCount(digits: string | undefined): number | undefined {
  return digits !== undefined && /^\d+$/.test(digits) ? Math.min(Number(digits), Number.MAX_SAFE_INTEGER) : undefined;
}

/** An optional count, see `parseCount`. */
export const count = z
  .string()
  .optional()
  .transform(parseCount)
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * A number of digits only. Other values are rejected, because a list with another span than the requested one is
 * useless.
 */
export const integer = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Whether the parameter is present, with any value. */
export const presenceFlag = z
  .string()
  .optional()
  .transform((said) => said !== undefined);

/** Whether the parameter is present and not `false`; an empty value counts as true (clients 2). */
export const booleanFlag = z
  .string()
  .optional()
  .transform((said) => said !== undefined && said !== 'false');

/** The `next` value of a page. Other values are rejected, since otherwise a client could start over endlessly. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}$/, 'must be the value of next from a page')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
