import { z } from 'zod';
import { DOTS_MESSAGE, isDots } from './name.ts';
import { expireSchema } from './expiry.ts';
import { type Expiring, EXPIRE_NEVER } from './lifetime.ts';
import { answer, objectAnswer } from './answer.ts';

/** Maximum length of a path. It is a key of data and never a file name, so nearly all characters are allowed. */
const PATH_LENGTH_MAX = 1024;

/** Any path, including empty ones and slashes, if it can be encoded as UTF-8. */
export const stashPathSchema = z
  .string()
  .max(PATH_LENGTH_MAX)
  .refine((path) => path.isWellFormed(), 'must be well-formed Unicode');

/**
 * A path that can be requested: HTTP clients remove the segments `.` and `..` before they send a path, even if escaped.
 * Between escaped slashes they stay.
 */
export const newStashPathSchema = stashPathSchema.refine((path) => !isDots(path), DOTS_MESSAGE);

/** The content: any object. Body of `POST /stashes/<path>`. */
export const stashContentSchema = z.record(z.string(), z.unknown());
export type StashContent = z.infer<typeof stashContentSchema>;

/** Body of `POST /stashes` (completion 1.6). */
export const stashSchema = z.looseObject({
  path: newStashPathSchema,
  content: stashContentSchema,
  expire: expireSchema,
});

/** A stash as it is stored. */
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
