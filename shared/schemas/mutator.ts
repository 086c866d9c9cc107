import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';

/** A mutator definition (completion 1.9): a command that receives the event and outputs the data for handlers. */
export const mutatorSchema = z.looseObject({
  command: commandSchema,
  timeout: z.number().positive().optional(),
  /** Environment variables as `NAME=value`. They override the default environment of commands. */
  env_vars: environmentSchema.optional(),
});

export type MutatorDefinition = z.infer<typeof mutatorSchema>;
