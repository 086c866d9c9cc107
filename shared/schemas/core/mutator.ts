import { z } from 'zod';
import { commandSchema } from '../command.ts';
import { envVarsSchema, ownCommandSchema, secondsSchema, textsSchema } from './check.ts';
import { metadataSchema, type Stored } from './metadata.ts';

/** A mutator of the newer API: a command that gets the event and answers what handlers get. */
export const coreMutatorSchema = z.looseObject({
  metadata: metadataSchema(),
  /** The only kind; a script inside of the backend is none of ours. */
  type: z.enum(['pipe', '']).nullish(),
  command: commandSchema,
  timeout: secondsSchema,
  env_vars: envVarsSchema,
  runtime_assets: textsSchema,
  secrets: z.array(z.looseObject({ name: z.string(), secret: z.string() })).nullish(),
  mon: ownCommandSchema,
});

export type SubmittedCoreMutator = z.infer<typeof coreMutatorSchema>;
export type CoreMutator = Stored<SubmittedCoreMutator>;
