import { z } from 'zod';
import { answer } from './answer.ts';
import { nameSchema } from './name.ts';

/** Body of `POST /api/mon/v1/checks/:check/rename`. */
export const checkRenameSchema = z.looseObject({
  to: nameSchema,
  /** Although the old name is still defined, and where a client has results under both names. */
  force: z.boolean().nullish(),
});

/** The answer: on how many clients a record has the new name now. */
export const renamedAnswer = answer(z.looseObject({ moved: z.number() }));
export type CheckRenameAnswer = z.infer<typeof renamedAnswer>;
