import { z } from 'zod';

/*
 * Building blocks of response schemas. A response schema contains only the attributes that callers rely on. Older
 * backends omit some attributes and newer ones add some, and both responses must stay valid.
 */

/**
 * The read-only type of a response with its declared attributes. A response may contain further attributes, which are
 * not part of the type.
 */
export type ResponseOf<Schema extends z.ZodType> = DeclaredValue<z.output<Schema>>;

type DeclaredValue<Value> = Value extends readonly (infer Item)[]
  ? readonly DeclaredValue<Item>[]
  : Value extends object
    ? keyof DeclaredAttributes<Value> extends never
      ? Readonly<Value>
      : DeclaredAttributes<Value>
    : Value;

type DeclaredAttributes<Value> = {
  readonly [Name in keyof Value as string extends Name ? never : Name]: DeclaredValue<Value[Name]>;
};

/** Returns the schema unchanged, with the output type `ResponseOf`. */
export function responseSchema<Schema extends z.ZodType>(schema: Schema): z.ZodType<ResponseOf<Schema>> {
  return schema as z.ZodType as z.ZodType<ResponseOf<Schema>>;
}

export const textsSchema: z.ZodType<readonly string[]> = z.array(z.string());
export const textsOrNone = textsSchema.nullish().transform((all) => all ?? []);

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

export const booleanOrFalse = z.boolean().nullish().transform(Boolean);

/** An object with any attributes. */
export const objectResponse = z.record(z.string(), z.unknown());

/** A response with the time at which the request was accepted, in epoch seconds. */
export const issuedResponse = z.object({ issued: z.number() });

export const namesResponse = z.array(z.looseObject({ name: z.string() }));
