import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';

/** A mutator definition (completion 1.9): a command that gets the event and answers what handlers get. */
export const mutatorSchema = z.looseObject({
  command: commandSchema,
  timeout: z.number().positive().optional(),
  /** `NAME=value`, over the environment that commands have. */
  env_vars: environmentSchema.optional(),
});

export type MutatorDefinition = z.infer<typeof mutatorSchema>;
