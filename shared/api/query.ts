import { z } from 'zod';

/** Schema of an optional query parameter with any text. */
export const textParameter = z.string().optional();

/**
 * Parses a number that consists only of digits; returns undefined for other texts (legacy-peer, Pagination). A number
 * that is too large becomes `Number.MAX_SAFE_INTEGER`.
 */
export function parseCount(digits: string | undefined): number | undefined {
  return digits !== undefined && /^\d+$/.test(digits) ? Math.min(Number(digits), Number.MAX_SAFE_INTEGER) : undefined;
}

/** Schema of an optional query parameter with a number, parsed by `parseCount`: invalid values count as absent. */
export const countParameter = z
  .string()
  .optional()
  .transform(parseCount)
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * Schema of an optional query parameter with a number of at most 15 digits. Other values are rejected. If they counted
 * as absent, a list for another time range than the requested one would be returned, for example.
 */
export const numberParameter = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Schema of a query parameter that is true if it is present, with any value. */
export const presenceFlag = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** Schema of a query parameter that is true if it is present and not `false`. An empty value is true (clients 2). */
export const booleanFlag = z
  .string()
  .optional()
  .transform((value) => value !== undefined && value !== 'false');

/**
 * Schema of a query parameter for the next page: its value is `next` of the previous page. Other values are rejected.
 * If they counted as absent, a faulty client would read the first page endlessly.
 */
export const cursorParameter = z
  .string()
  .regex(/^\d{1,16}$/, 'must be the value of next from a page')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
