import { z } from 'zod';

/** A mutator definition (completion 1.9): a command that gets the event and answers what handlers get. */
export const mutatorSchema = z.looseObject({
  command: z.string().min(1),
  timeout: z.number().positive().optional(),
});

export type MutatorDefinition = z.infer<typeof mutatorSchema>;
