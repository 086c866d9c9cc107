import { z } from 'zod';

/*
 * Parts of answers. Of an answer a schema has what callers rely on, and no more: older services leave attributes out and
 * newer ones add some, and both are still good answers.
 */

export const texts: z.ZodType<readonly string[]> = z.array(z.string());
export const textsOrNone = texts.nullish().transform((all) => all ?? []);

export const textOrEmpty = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
export const textOrNull = z
  .string()
  .nullish()
  .transform((text) => text ?? null);

export const numberOrZero = z
  .number()
  .nullish()
  .transform((number) => number ?? 0);
export const numberOrNull = z
  .number()
  .nullish()
  .transform((number) => number ?? null);

export const orFalse = z.boolean().nullish().transform(Boolean);

/** An object of which nothing is known. */
export const objectAnswer = z.record(z.string(), z.unknown());

/** When something was taken, epoch seconds. */
export const issuedAnswer = z.object({ issued: z.number() });

export const namesAnswer = z.array(z.looseObject({ name: z.string() }));
