import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';

const LIST_MAX = 1000;

/** Facts about a host. Unknown attributes are kept. */
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

/** All attributes of an entity but its metadata; in an event any may be missing. */
const attributes = {
  /** `agent`, `proxy`, `service` or any custom class; absent, as only events may have it: `proxy`. */
  entity_class: z.union([z.literal(''), v2NameSchema]).nullish(),
  system: systemSchema.nullish(),
  /** Any texts, as at the peer; an empty one has no effect. */
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
 * A submitted entity of the v2 API (clients 6): it becomes a client, whose own subscription is `entity:NAME` there.
 * Unknown attributes are kept.
 */
export const v2EntitySchema = z
  .looseObject({ metadata: metadataSchema(v2NameSchema), ...attributes })
  .refine(({ entity_class: entityClass }) => Boolean(entityClass), {
    path: ['entity_class'],
    message: 'must not be empty: write agent, proxy or another class',
  });

/** An entity within an event, whose name may be in the path. */
export const eventEntitySchema = z.looseObject({
  metadata: metadataSchema(v2NameSchema).partial({ name: true }).nullish(),
  ...attributes,
});

export type SubmittedV2Entity = z.infer<typeof v2EntitySchema>;

/** An entity in the format of the v2 API. */
export interface V2Entity {
  readonly metadata: V2Metadata;
  readonly entity_class: string;
  readonly system: Readonly<Record<string, unknown>>;
  /** Subscriptions as sent; null if none were. */
  readonly subscriptions: string[] | null;
  /** Epoch seconds. */
  readonly last_seen: number;
  readonly deregister: boolean;
  readonly deregistration: Readonly<Record<string, unknown>>;
  readonly sensu_agent_version: string;
  readonly [attribute: string]: unknown;
}
