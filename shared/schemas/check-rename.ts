import { z } from 'zod';
import { nameSchema } from './name.ts';

/** Body of `POST /api/mon/v1/checks/:check/rename`. */
export const checkRenameSchema = z.looseObject({
  to: nameSchema,
  /** Although the old name is still defined, and where a client has results under both names. */
  force: z.boolean().nullish(),
});

/** The answer: on how many clients a record has the new name now. */
export interface CheckRenameAnswer {
  readonly moved: number;
}

/** As callers rely on it, see `answer.ts`. */
export const renamedAnswer: z.ZodType<CheckRenameAnswer> = z.looseObject({ moved: z.number() });
