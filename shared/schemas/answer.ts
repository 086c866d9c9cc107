import { z } from 'zod';

/*
 * Parts of answers. Of an answer a schema has what callers rely on, and no more: older services leave attributes out and
 * newer ones add some, and both are still good answers.
 */

/** What is known of an answer, which is nobody's to change. What may come beside it is not named. */
export type AnswerOf<Schema extends z.ZodType> = Known<z.output<Schema>>;

type Known<Value> = Value extends readonly (infer Item)[]
  ? readonly Known<Item>[]
  : Value extends object
    ? keyof Named<Value> extends never
      ? Readonly<Value>
      : Named<Value>
    : Value;

type Named<Value> = { readonly [Name in keyof Value as string extends Name ? never : Name]: Known<Value[Name]> };

/** A schema whose type is what is known of its answer, see `AnswerOf`. */
export function answer<Schema extends z.ZodType>(schema: Schema): z.ZodType<AnswerOf<Schema>> {
  return schema as z.ZodType as z.ZodType<AnswerOf<Schema>>;
}

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
