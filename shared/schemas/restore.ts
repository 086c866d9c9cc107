import { z } from 'zod';
import { responseSchema, objectResponse, textsSchema } from './response.ts';

/** Maximum number of objects in one restore request. */
export const RESTORE_MAX = 100;

const wrappedSchema = z.object({
  type: z.string().min(1).max(255),
  api_version: z.string().min(1).max(255),
  metadata: z.record(z.string(), z.unknown()),
  spec: z.record(z.string(), z.unknown()),
});

/** Body of `POST /api/mon/v1/restore`: objects as in a dump, which are restored in one transaction. */
export const restoreSchema = z.strictObject({
  objects: z.array(wrappedSchema).min(1).max(RESTORE_MAX),
  /** True to return the outcomes without changing anything. */
  dry_run: z.boolean().optional(),
  /**
   * For a dry run: keys, from `restoreKey`, of objects that do not exist yet but would have been restored by earlier
   * requests.
   */
  assumed: z
    .array(z.string().max(1024))
    .max(3 * RESTORE_MAX)
    .optional(),
  /** Number of entities that earlier requests of the dry run would have created. They count for the entity limit. */
  assumed_entities: z.int().min(0).max(100_000_000).optional(),
});

export type RestoreRequest = z.infer<typeof restoreSchema>;

/** Returns the key of an object on which other objects depend: a namespace, a user, or an entity of a namespace. */
export function restoreKey(type: 'Namespace' | 'User' | 'Entity', namespace: string, name: string): string {
  return JSON.stringify([type, namespace, name]);
}

/** The response to a restore: the outcome of each object, in the order of the request. */
export const restoredResponse = responseSchema(
  z.looseObject({
    results: z.array(
      z.looseObject({
        /**
         * The outcome of an object:
         *
         * - `created`, `replaced`: the object is now as in the file
         * - `unchanged`: an identical object existed already
         * - `skipped`: the object cannot be restored; `reason` says why
         */
        outcome: z.enum(['created', 'replaced', 'unchanged', 'skipped']),
        /** The reason why the object was skipped. */
        reason: z.string().exactOptional(),
        /** Attributes that could not be restored although the object was, each with its reason. */
        lost: z.array(z.looseObject({ attribute: z.string(), reason: z.string() })).exactOptional(),
        /** Warnings about attributes that are stored but do not have the effect that they seem to have. */
        warnings: textsSchema.exactOptional(),
      }),
    ),
  }),
);
export type RestoreResponse = z.infer<typeof restoredResponse>;
export type RestoreResult = RestoreResponse['results'][number];
export type RestoreOutcome = RestoreResult['outcome'];

/** A page of a dump: `GET /api/mon/v1/dump/:type`. */
export const dumpPageResponse = responseSchema(
  z.looseObject({
    /** Objects with their type and their exact state, see `exact-state.ts`. */
    objects: z.array(objectResponse),
    /** Token for the next page; null if this is the last one. */
    continue: z.string().nullable(),
  }),
);
export type DumpPage = z.infer<typeof dumpPageResponse>;
