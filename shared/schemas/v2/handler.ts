import { z } from 'zod';
import { argumentsSchema } from '../command.ts';
import { handlerSchema } from '../handler.ts';
import { secondsSchema, textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

const commonAttributes = {
  metadata: metadataSchema(),
  filters: textListSchema,
  mutator: z.string().nullish(),
  timeout: secondsSchema,
  /** Environment variables as `NAME=value`. Other texts are stored but have no effect. */
  env_vars: textListSchema,
  runtime_assets: textListSchema,
  secrets: z.array(z.looseObject({ name: z.string().nullish(), secret: z.string().nullish() })).nullish(),
};

const socketSchema = z.looseObject({ host: z.string().min(1), port: z.int().min(1).max(65_535) });

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
    type: z.enum(['pipe', 'tcp', 'udp', 'set']),
    command: z.union([z.string(), argumentsSchema]).nullish(),
    socket: socketSchema.nullish(),
    handlers: textListSchema,
    mon: ownSchema,
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
