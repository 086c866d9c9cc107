import { z } from 'zod';
import { commandSchema } from '../command.ts';
import { ownCommandSchema, secondsSchema, textsSchema } from './check.ts';
import { metadataSchema, type Stored } from './metadata.ts';

/** A mutator of version 2: a command that gets the event and answers what handlers get. */
export const v2MutatorSchema = z.looseObject({
  metadata: metadataSchema(),
  /** The only kind; a script inside of the backend is none of ours. */
  type: z.enum(['pipe', '']).nullish(),
  command: commandSchema,
  timeout: secondsSchema,
  /** `NAME=value`; what is of another form is kept and does nothing. */
  env_vars: textsSchema,
  runtime_assets: textsSchema,
  secrets: z.array(z.looseObject({ name: z.string().nullish(), secret: z.string().nullish() })).nullish(),
  mon: ownCommandSchema,
});

export type SubmittedV2Mutator = z.infer<typeof v2MutatorSchema>;
export type V2Mutator = Stored<SubmittedV2Mutator>;
