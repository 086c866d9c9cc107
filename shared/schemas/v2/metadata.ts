import { z } from 'zod';
import { NAME_LENGTH_MAX, objectNameSchema } from '../name.ts';

/** Maximum number of labels, and of annotations, of one object. */
const PAIRS_MAX = 1000;

/** The labels or the annotations of an object, by name. */
export const pairsSchema = z
  .record(z.string().max(NAME_LENGTH_MAX), z.string())
  .refine((pairs) => Object.keys(pairs).length <= PAIRS_MAX, `must be at most ${String(PAIRS_MAX)}`);

const metadataAttributes = {
  namespace: z
    .string()
    .max(NAME_LENGTH_MAX)
    .nullish()
    .describe('Namespace of the object. Default: the namespace in the path, or `default`.'),
  labels: pairsSchema.nullish().describe('Labels, by name. Selectors and expressions can compare them.'),
  annotations: pairsSchema.nullish().describe('Annotations, by name, for people and other programs.'),
  created_by: z
    .string()
    .max(NAME_LENGTH_MAX)
    .nullish()
    .describe('User who created the object. The backend sets it, and a later PUT does not change it.'),
};

type MetadataSchema = z.ZodObject<typeof metadataAttributes & { readonly name: z.ZodType<string> }, z.core.$loose>;

/**
 * Returns the schema of the metadata that all v2 objects have (completion 1.17). It adds and reorders nothing, so that
 * an object is returned as it was sent. The backend sets the namespace and the creator.
 *
 * @param name schema of the name of the object
 */
export function metadataSchema(name: z.ZodType<string> = objectNameSchema): MetadataSchema {
  return z
    .looseObject({ name: name.describe('Name of the object.'), ...metadataAttributes })
    .describe('Name, namespace, labels and annotations of the object.');
}

/** Metadata of an object that is stored or shown. */
export type V2Metadata = z.infer<ReturnType<typeof metadataSchema>> & { readonly namespace: string };

/** A v2 object whose namespace is known. */
export interface NamespacedV2Object {
  readonly metadata: V2Metadata;
}

/** A submitted v2 object. Its namespace may be missing. */
export interface SubmittedV2Object {
  readonly metadata: z.infer<ReturnType<typeof metadataSchema>>;
}

/** A submitted v2 object after its namespace was set. */
export type StoredV2Object<Submitted extends SubmittedV2Object> = Submitted & NamespacedV2Object;
