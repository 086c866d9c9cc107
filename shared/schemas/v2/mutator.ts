import { z } from 'zod';
import { commandSchema } from '../command.ts';
import { ownCommandSchema, secondsSchema, secretsSchema, textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

/** A mutator of the v2 API: a command that receives the event and outputs the data for handlers. */
export const v2MutatorSchema = z.looseObject({
  metadata: metadataSchema(),
  type: z.enum(['pipe', '']).nullish().meta({
    description: 'Type of the mutator. JavaScript mutators of Sensu Go are rejected.',
    'x-value': '`pipe`',
    default: 'pipe',
    'x-v1': 'none',
  }),
  command: commandSchema.meta({
    description: 'The command, which reads the event from standard input and prints the data for the handler.',
    'x-v1': 'the same',
  }),
  timeout: secondsSchema.meta({
    description: 'Time after which the backend kills the command. 0 means no limit.',
    'x-unit': 'seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  env_vars: textListSchema.meta({
    description: 'Environment variables of the command, as `NAME=value`. Other texts have no effect.',
    'x-v1': 'the same',
  }),
  runtime_assets: textListSchema.meta({ description: 'Stored, without effect.', 'x-v1': 'none' }),
  secrets: secretsSchema.meta({ description: 'Stored, without effect.', 'x-v1': 'none' }),
  mon: ownCommandSchema.meta({
    description: 'The command as a list. `command` then shows it as text.',
    'x-v1': '`command`',
  }),
});

export type SubmittedV2Mutator = z.infer<typeof v2MutatorSchema>;
export type V2Mutator = StoredV2Object<SubmittedV2Mutator>;
