import { z } from 'zod';
import { DOTS_MESSAGE, isDots } from './name.ts';
import { expireSchema } from './expiry.ts';
import { type Expiring, EXPIRE_NEVER } from './lifetime.ts';
import { answer, objectAnswer } from './answer.ts';

/** Longest path; it is a key of data and never the name of a file, so that nearly everything may be in it. */
const PATH_LENGTH_MAX = 1024;

/** Whatever the path holds, slashes and nothing at all included, as long as it has a form as bytes. */
export const stashPathSchema = z
  .string()
  .max(PATH_LENGTH_MAX)
  .refine((path) => path.isWellFormed(), 'must be well-formed Unicode');

/**
 * One that can be asked for: clients of HTTP take `.` and `..` out of a path before they send it, also escaped. Between
 * slashes that are escaped they stay.
 */
export const newStashPathSchema = stashPathSchema.refine((path) => !isDots(path), DOTS_MESSAGE);

/** What is kept: any object. Body of `POST /stashes/<path>`. */
export const stashContentSchema = z.record(z.string(), z.unknown());
export type StashContent = z.infer<typeof stashContentSchema>;

/** Body of `POST /stashes` (completion 1.6). */
export const stashSchema = z.looseObject({
  path: newStashPathSchema,
  content: stashContentSchema,
  expire: expireSchema,
});

/** A stash as it is kept. */
export interface Stash extends Expiring {
  readonly path: string;
  readonly content: StashContent;
}

/** A stash as it is read: `expire` counts down, or is -1. */
export const stashAnswer = answer(
  z.looseObject({
    path: z.string(),
    content: objectAnswer,
    expire: z
      .number()
      .nullish()
      .transform((expire) => expire ?? EXPIRE_NEVER),
  }),
);
export type StashView = z.infer<typeof stashAnswer>;
