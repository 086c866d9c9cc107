import { z } from 'zod';
import { checkNameSchema } from './check.ts';

/** Body of `POST /api/mon/v1/checks/:check/rename`. */
export const checkRenameSchema = z.looseObject({
  to: checkNameSchema,
  /** Although the old name is still defined, and where a client has results under both names. */
  force: z.boolean().nullish(),
});

/** The answer: on how many clients a record has the new name now. */
export interface CheckRenameAnswer {
  readonly moved: number;
}
