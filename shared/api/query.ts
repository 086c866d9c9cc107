import { z } from 'zod';

/** A parameter of a query as people and programs write it. */
export const text = z.string().optional();

/** A number of digits only; anything else counts as absent (legacy-peer, Pagination). One beyond all others is the greatest. */
export function countOf(digits: string | undefined): number | undefined {
  return digits !== undefined && /^\d+$/.test(digits) ? Math.min(Number(digits), Number.MAX_SAFE_INTEGER) : undefined;
}

/** See `countOf`. */
export const count = z
  .string()
  .optional()
  .transform(countOf)
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A number of digits only; anything else is refused: a list of another span than was asked for helps nobody. */
export const whole = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Whether it is given, whatever it says. */
export const given = z
  .string()
  .optional()
  .transform((said) => said !== undefined);

/** Whether it says so, or is given without saying anything (clients 2). */
export const wanted = z
  .string()
  .optional()
  .transform((said) => said !== undefined && said !== 'false');

/** Where a page ended, as it says itself: anything else is refused, or whoever goes on would begin anew for ever. */
export const place = z
  .string()
  .regex(/^\d{1,16}$/, 'must be the value of next from a page')
  .optional()
  .transform((digits) => (digits === undefined ? undefined : Number(digits)))
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
