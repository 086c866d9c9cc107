import { z } from 'zod';
import { argumentsSchema } from '../command.ts';
import { handlerSchema } from '../handler.ts';
import { secondsSchema, secretsSchema, textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

const commonAttributes = {
  metadata: metadataSchema(),
  filters: textListSchema.meta({
    description: 'Filters that an event must pass.',
    'x-v1': 'the same, with `handle_silenced` in place of the filter `not_silenced`',
  }),
  mutator: z
    .string()
    .nullish()
    .meta({ description: 'Mutator that converts the event into the data to send.', 'x-v1': 'the same' }),
  timeout: secondsSchema.meta({
    description: 'Time limit of a run. 0 means no limit for commands, and 10 seconds for sockets.',
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
};

const socketSchema = z.looseObject({
  host: z.string().min(1).meta({ description: 'Host to connect to.', 'x-v1': 'the same' }),
  port: z.int().min(1).max(65_535).meta({ description: 'Port to connect to.', 'x-v1': 'the same' }),
});

/** The attribute `mon` of a v2 handler: attributes of a v1 handler definition that the v2 API does not have. */
const ownSchema = z
  .looseObject({})
  .superRefine((own, context) => {
    const parsed = handlerSchema.safeParse({ type: 'pipe', command: 'x', ...own });
    for (const { path, message } of parsed.error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .nullish();

/**
 * A handler of the v2 API. Its attribute `mon` contains features that only mon has: `severities`, `retry`,
 * `concurrency`, `queue_limit`, `redact`, `handle_silenced` and `handle_flapping`, or another `type`, such as `webhook`
 * with its `url`.
 */
export const v2HandlerSchema = z
  .looseObject({
    ...commonAttributes,
    type: z
      .enum(['pipe', 'tcp', 'udp', 'set'])
      .meta({ description: 'Type of the handler. `mon.type` overrides it.', 'x-v1': 'the same, with further types' }),
    command: z.union([z.string(), argumentsSchema]).nullish().meta({
      description: 'The command, which reads the event from standard input. Required for the type `pipe`.',
      'x-v1': 'the same',
    }),
    socket: socketSchema
      .nullish()
      .meta({ description: 'Address of the receiver. Required for the types `tcp` and `udp`.', 'x-v1': 'the same' }),
    handlers: textListSchema.meta({ description: 'Members of a handler of the type `set`.', 'x-v1': 'the same' }),
    mon: ownSchema.meta({
      description:
        'Attributes of a handler of the configuration that Sensu Go does not have, such as `severities`,' +
        ' `retry` and `type: webhook`.',
      'x-v1': 'the attributes themselves',
    }),
  })
  .superRefine((handler, context) => {
    const issue = (attribute: string, message: string): void =>
      context.addIssue({ code: 'custom', message, path: [attribute] });
    const { type, mon } = handler;
    if (mon?.['type'] !== undefined) return;
    if (type === 'pipe' && (handler.command || mon?.['command'] || '') === '')
      issue('command', 'is required for a handler of type pipe');
    if ((type === 'tcp' || type === 'udp') && (handler.socket ?? undefined) === undefined) {
      issue('socket', `is required for a handler of type ${type}`);
    }
  });

export type SubmittedV2Handler = z.infer<typeof v2HandlerSchema>;
export type V2Handler = StoredV2Object<SubmittedV2Handler>;
