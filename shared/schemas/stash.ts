import { z } from 'zod';
import { DOTS_MESSAGE, isDotName } from './name.ts';
import { expireSchema } from './expiry.ts';
import { type Expiring, EXPIRE_NEVER } from './lifetime.ts';
import { responseSchema, objectResponse } from './response.ts';

/**
 * Maximum length of the path of a stash. The path is only a key in the store and never a file name, so nearly all
 * characters are allowed.
 */
const PATH_LENGTH_MAX = 1024;

/** The path of a stash: any text that can be encoded as UTF-8, also an empty one or one with slashes. */
export const stashPathSchema = z
  .string()
  .max(PATH_LENGTH_MAX)
  .refine((path) => path.isWellFormed(), 'must be well-formed Unicode');

/**
 * The path of a new stash. `.` and `..` are rejected, because HTTP clients remove these segments from a URL, even if
 * escaped. Between escaped slashes they are allowed.
 */
export const newStashPathSchema = stashPathSchema.refine((path) => !isDotName(path), DOTS_MESSAGE);

/** The content of a stash: any object. It is the body of `POST /stashes/<path>`. */
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

/** A stash as the API returns it. `expire` is the number of remaining seconds, or -1 for a stash without an end. */
export const stashResponse = responseSchema(
  z.looseObject({
    path: z.string(),
    content: objectResponse,
    expire: z
      .number()
      .nullish()
      .transform((expire) => expire ?? EXPIRE_NEVER),
  }),
);
export type StashView = z.infer<typeof stashResponse>;
