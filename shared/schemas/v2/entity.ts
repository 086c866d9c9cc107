import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';

const LIST_MAX = 1000;

/** Facts about a machine. What is not named here is kept as well. */
const systemSchema = z.looseObject({
  hostname: z.string().nullish(),
  os: z.string().nullish(),
  platform: z.string().nullish(),
  arch: z.string().nullish(),
  network: z
    .looseObject({
      interfaces: z
        .array(
          z.looseObject({
            name: z.string().nullish(),
            mac: z.string().nullish(),
            addresses: z.array(z.string()).max(LIST_MAX).nullish(),
          }),
        )
        .max(LIST_MAX)
        .nullish(),
    })
    .nullish(),
});

/** All of an entity but its metadata: any of it may be missing where an event brings it along. */
const attributes = {
  /** `agent`, `proxy`, `service` or whatever somebody calls it; absent, which only events may leave it: `proxy`. */
  entity_class: z.union([z.literal(''), v2NameSchema]).nullish(),
  system: systemSchema.nullish(),
  /** Any texts, as the peer takes them; an empty one subscribes to nothing. */
  subscriptions: z.array(z.string().max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish(),
  /** Epoch seconds, 0: never. */
  last_seen: z.int().min(0).nullish(),
  deregister: z.boolean().nullish(),
  deregistration: z.looseObject({ handler: z.string().nullish() }).nullish(),
  user: z.string().max(255).nullish(),
  redact: z.array(z.string()).max(LIST_MAX).nullish(),
  keepalive_handlers: z.array(z.string().min(1)).max(LIST_MAX).nullish(),
  sensu_agent_version: z.string().max(255).nullish(),
};

/**
 * An entity of version 2 as it is sent (clients 6): a client of the model, with the subscription of its own
 * called `entity:NAME`. Attributes that are not named here are kept.
 */
export const v2EntitySchema = z
  .looseObject({ metadata: metadataSchema(v2NameSchema), ...attributes })
  .refine(({ entity_class: entityClass }) => Boolean(entityClass), {
    path: ['entity_class'],
    message: 'must not be empty: agent, proxy, or what you call such entities',
  });

/** An entity within an event, whose path may name it. */
export const eventEntitySchema = z.looseObject({
  metadata: metadataSchema(v2NameSchema).partial({ name: true }).nullish(),
  ...attributes,
});

export type SubmittedV2Entity = z.infer<typeof v2EntitySchema>;

/** An entity as version 2 shows it. */
export interface V2Entity {
  readonly metadata: V2Metadata;
  readonly entity_class: string;
  readonly system: Readonly<Record<string, unknown>>;
  /** As they were sent; null: none were. */
  readonly subscriptions: string[] | null;
  /** Epoch seconds. */
  readonly last_seen: number;
  readonly deregister: boolean;
  readonly deregistration: Readonly<Record<string, unknown>>;
  readonly sensu_agent_version: string;
  readonly [attribute: string]: unknown;
}
