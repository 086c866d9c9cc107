import { z } from 'zod';
import { responseSchema } from './response.ts';
import { nameSchema } from './name.ts';

/** Body of `POST /api/mon/v1/checks/:check/rename`. */
export const checkRenameSchema = z.looseObject({
  to: nameSchema,
  /** Allows the rename even if the old name is still defined, or a client has results under both names. */
  force: z.boolean().nullish(),
});

/** The response to a rename: the number of clients on which the check was renamed. */
export const renamedResponse = responseSchema(z.looseObject({ moved: z.number() }));
export type CheckRenameResponse = z.infer<typeof renamedResponse>;
