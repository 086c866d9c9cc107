import { z } from 'zod';
import { commandSchema } from '../command.ts';
import { ownCommandSchema, secondsSchema, textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

/** A mutator of the v2 API: a command that receives the event and outputs the data for handlers. */
export const v2MutatorSchema = z.looseObject({
  metadata: metadataSchema(),
  /** The type of the mutator. Only `pipe`, a command, is supported; scripts that run inside the backend are not. */
  type: z.enum(['pipe', '']).nullish(),
  command: commandSchema,
  timeout: secondsSchema,
  /** Environment variables as `NAME=value`. Other texts are stored but have no effect. */
  env_vars: textListSchema,
  runtime_assets: textListSchema,
  secrets: z.array(z.looseObject({ name: z.string().nullish(), secret: z.string().nullish() })).nullish(),
  mon: ownCommandSchema,
});

export type SubmittedV2Mutator = z.infer<typeof v2MutatorSchema>;
export type V2Mutator = StoredV2Object<SubmittedV2Mutator>;
