import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';

const LIST_MAX = 1000;

/** Facts about the host of an entity. Unknown attributes are kept. */
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

/** All attributes of an entity except its metadata. Each may be absent from the entity of an event. */
const entityAttributes = {
  /**
   * `agent`, `proxy`, `service` or a custom class. Only the entity of an event may lack a class; it then counts as
   * `proxy`.
   */
  entity_class: z.union([z.literal(''), v2NameSchema]).nullish(),
  system: systemSchema.nullish(),
  /** Subscriptions: any texts, as in Sensu Go. An empty text has no effect. */
  subscriptions: z.array(z.string().max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish(),
  /** Time of the last keepalive in epoch seconds; 0: never. */
  last_seen: z.int().min(0).nullish(),
  deregister: z.boolean().nullish(),
  deregistration: z.looseObject({ handler: z.string().nullish() }).nullish(),
  user: z.string().max(255).nullish(),
  redact: z.array(z.string()).max(LIST_MAX).nullish(),
  keepalive_handlers: z.array(z.string().min(1)).max(LIST_MAX).nullish(),
  sensu_agent_version: z.string().max(255).nullish(),
};

/**
 * A submitted entity of the v2 API (clients 6). It is stored as a client, and its own subscription is `entity:NAME`.
 * Unknown attributes are kept.
 */
export const v2EntitySchema = z
  .looseObject({ metadata: metadataSchema(v2NameSchema), ...entityAttributes })
  .refine(({ entity_class: entityClass }) => Boolean(entityClass), {
    path: ['entity_class'],
    message: 'must not be empty: write agent, proxy or another class',
  });

/** The entity of a submitted event. Its name may be missing, because the path can contain it. */
export const eventEntitySchema = z.looseObject({
  metadata: metadataSchema(v2NameSchema).partial({ name: true }).nullish(),
  ...entityAttributes,
});

export type SubmittedV2Entity = z.infer<typeof v2EntitySchema>;

/** An entity in the format of the v2 API. */
export interface V2Entity {
  readonly metadata: V2Metadata;
  readonly entity_class: string;
  readonly system: Readonly<Record<string, unknown>>;
  /** Subscriptions as they were sent; null if none were sent. */
  readonly subscriptions: string[] | null;
  /** Time of the last keepalive in epoch seconds. */
  readonly last_seen: number;
  readonly deregister: boolean;
  readonly deregistration: Readonly<Record<string, unknown>>;
  readonly sensu_agent_version: string;
  readonly [attribute: string]: unknown;
}
