import { z } from 'zod';
import { commandSchema } from './command.ts';
import { environmentSchema } from './environment.ts';

/** A mutator definition (completion 1.9): a command that receives the event and outputs the data for handlers. */
export const mutatorSchema = z.looseObject({
  command: commandSchema.describe(
    'The command, which reads the event as JSON from standard input and prints the data for the handler. A text runs' +
      ' in a shell; a list of a program and its arguments runs without one.',
  ),
  timeout: z.number().positive().optional().meta({
    description: 'Time after which the backend kills the command. Default: no limit.',
    'x-unit': 'seconds',
  }),
  env_vars: environmentSchema
    .optional()
    .describe('Environment variables as `NAME=value`. They override the default environment of commands.'),
});

export type MutatorDefinition = z.infer<typeof mutatorSchema>;
