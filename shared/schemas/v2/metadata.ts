import { z } from 'zod';
import { NAME_LENGTH_MAX, objectNameSchema } from '../name.ts';

/** Labels and annotations of one object. */
const PAIRS_MAX = 1000;

/** Labels and annotations. */
export const pairsSchema = z
  .record(z.string().max(NAME_LENGTH_MAX), z.string())
  .refine((pairs) => Object.keys(pairs).length <= PAIRS_MAX, `must be at most ${String(PAIRS_MAX)}`);

const attributes = {
  /** Absent: the one of the path, or `default`. */
  namespace: z.string().max(NAME_LENGTH_MAX).nullish(),
  labels: pairsSchema.nullish(),
  annotations: pairsSchema.nullish(),
  created_by: z.string().max(NAME_LENGTH_MAX).nullish(),
};

type MetadataSchema = z.ZodObject<typeof attributes & { readonly name: z.ZodType<string> }, z.core.$loose>;

/**
 * What every object of version 2 has (completion 1.17). Nothing is filled in or reordered, so that an object is
 * answered as it was sent; the namespace and who made it are the business of the backend.
 *
 * @param name what it may be called
 */
export function metadataSchema(name: z.ZodType<string> = objectNameSchema): MetadataSchema {
  return z.looseObject({ name, ...attributes });
}

/** Metadata of an object that is stored or shown. */
export type V2Metadata = z.infer<ReturnType<typeof metadataSchema>> & { readonly namespace: string };

/** An object of version 2, in its namespace. */
export interface V2Object {
  readonly metadata: V2Metadata;
}

/** An object as it is sent, before it is known which namespace it belongs to. */
export interface SubmittedV2Object {
  readonly metadata: z.infer<ReturnType<typeof metadataSchema>>;
}

/** An object as it is sent, and as it is once it has a namespace. */
export type Stored<Submitted extends SubmittedV2Object> = Submitted & V2Object;
