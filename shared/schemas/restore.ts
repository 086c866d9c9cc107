import { z } from 'zod';
import { answer, objectAnswer, texts } from './answer.ts';

/** Most objects in one request of a restore. */
export const RESTORE_MAX = 100;

const wrappedSchema = z.object({
  type: z.string().min(1).max(255),
  api_version: z.string().min(1).max(255),
  metadata: z.record(z.string(), z.unknown()),
  spec: z.record(z.string(), z.unknown()),
});

/** Body of `POST /api/mon/v1/restore`: wrapped objects, one transaction for all of them. */
export const restoreSchema = z.strictObject({
  objects: z.array(wrappedSchema).min(1).max(RESTORE_MAX),
  /** Only say what would become of each. */
  dry_run: z.boolean().optional(),
  /**
   * For a dry run: what these objects need and would be there by then, each as `restoreKey` has it.
   */
  assumed: z
    .array(z.string().max(1024))
    .max(3 * RESTORE_MAX)
    .optional(),
  /** For a dry run: how many entities there would be by then beside those that are there, for the limit of entities. */
  assumed_entities: z.int().min(0).max(100_000_000).optional(),
});

export type RestoreRequest = z.infer<typeof restoreSchema>;

/** Names an object that others need: a namespace, a user, or an entity of a namespace. */
export function restoreKey(type: 'Namespace' | 'User' | 'Entity', namespace: string, name: string): string {
  return JSON.stringify([type, namespace, name]);
}

/** The answer to a restore: what became of each object, in the order of the request. */
export const restoredAnswer = answer(
  z.looseObject({
    results: z.array(
      z.looseObject({
        /**
         * - `created`, `replaced`: it is there now as the file has it
         * - `unchanged`: it was there exactly like this
         * - `skipped`: it cannot be carried over; the reason says why
         */
        outcome: z.enum(['created', 'replaced', 'unchanged', 'skipped']),
        /** The reason for `skipped`. */
        reason: z.string().exactOptional(),
        /** Attributes that could not be carried over although the object was, each with the reason. */
        lost: z.array(z.looseObject({ attribute: z.string(), reason: z.string() })).exactOptional(),
        /** What does not do what it seems to, although nothing of it was lost. */
        warnings: texts.exactOptional(),
      }),
    ),
  }),
);
export type RestoreAnswer = z.infer<typeof restoredAnswer>;
export type Restored = RestoreAnswer['results'][number];
export type RestoreOutcome = Restored['outcome'];

/** A page of `GET /api/mon/v1/dump`. */
export const dumpPageAnswer = answer(
  z.looseObject({
    /** Wrapped objects in their exact state. */
    objects: z.array(objectAnswer),
    /** Where the next page goes on; null: this was the last one. */
    continue: z.string().nullable(),
  }),
);
export type DumpPage = z.infer<typeof dumpPageAnswer>;
