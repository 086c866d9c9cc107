import { z } from 'zod';
import { SECONDS_MAX, textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

/** A hook of the v2 API: a command that agents run after a check whose `check_hooks` name it (completion 1.17). */
export const v2HookSchema = z.looseObject({
  metadata: metadataSchema(),
  command: z
    .string({ error: 'must be a shell command' })
    .min(1, 'must not be empty')
    .meta({ description: 'The command, which runs in a shell.', 'x-v1': '`hooks.NAME.command` of a check' }),
  timeout: z.int({ error: 'must be seconds, greater than 0' }).min(1, 'must be greater than 0').max(SECONDS_MAX).meta({
    description: 'Time after which the agent kills the command.',
    'x-unit': 'seconds',
    'x-v1': '`hooks.NAME.timeout`',
  }),
  stdin: z.boolean().nullish().meta({
    description: 'Whether the command reads the event from its standard input.',
    default: false,
    'x-v1': '`hooks.NAME.stdin`',
  }),
  runtime_assets: textListSchema.meta({
    description: 'Assets that Sensu Go agents install before the run.',
    'x-v1': 'none',
  }),
});

export type SubmittedV2Hook = z.infer<typeof v2HookSchema>;
export type V2Hook = StoredV2Object<SubmittedV2Hook>;

/**
 * Body of `PUT .../checks/NAME/hooks/TYPE`: lists of hook names, by the status or severity after which they run, such
 * as `critical` or `1`.
 */
export const checkHooksSchema = z.record(z.string().min(1).max(255), z.array(z.string().min(1).max(255)).max(1000));
