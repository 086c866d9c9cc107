import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';

const LIST_MAX = 1000;

/** Facts about the host of an entity. Unknown attributes are kept. */
const systemSchema = z.looseObject({
  hostname: z.string().nullish().describe('Name of the host.'),
  os: z.string().nullish().describe('Operating system, such as `linux`.'),
  platform: z.string().nullish().describe('Distribution, such as `debian`.'),
  arch: z.string().nullish().describe('Processor architecture, such as `amd64`.'),
  network: z
    .looseObject({
      interfaces: z
        .array(
          z.looseObject({
            name: z.string().nullish().describe('Name of the interface.'),
            mac: z.string().nullish().describe('Hardware address.'),
            addresses: z.array(z.string()).max(LIST_MAX).nullish().describe('IP addresses with their prefix lengths.'),
          }),
        )
        .max(LIST_MAX)
        .nullish()
        .describe('Network interfaces of the host.'),
    })
    .nullish()
    .describe('Network of the host.'),
});

/** All attributes of an entity except its metadata. Each may be absent from the entity of an event. */
const entityAttributes = {
  entity_class: z
    .union([z.literal(''), v2NameSchema])
    .nullish()
    .meta({
      description:
        '`agent`, `proxy`, `service` or a class of your own. Required, except in events, where the default is `proxy`.',
      'x-value': 'text',
      'x-v1': '`type: proxy` for the class `proxy`',
    }),
  system: systemSchema.nullish().meta({
    description:
      'Facts about the host. Unknown attributes are kept. The first address that is not local becomes the' +
      ' `address` of a new client.',
    'x-v1': 'the same',
  }),
  // As in Sensu Go, a subscription is any text.
  subscriptions: z.array(z.string().max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish().meta({
    description: 'Subscriptions. `entity:NAME` is the subscription of the entity itself. Empty texts have no effect.',
    'x-v1': 'the same, with `client:NAME`',
  }),
  last_seen: z.int().min(0).nullish().meta({
    description: 'Time of the last keepalive. 0 means never.',
    'x-unit': 'epoch seconds',
    default: 0,
    'x-v1': '`timestamp`',
  }),
  deregister: z.boolean().nullish().meta({
    description: 'Whether the entity is deleted when its agent disconnects.',
    default: false,
    'x-v1': 'the same',
  }),
  deregistration: z
    .looseObject({
      handler: z.string().nullish().meta({ description: 'Handler of that event.', 'x-v1': 'the same' }),
    })
    .nullish()
    .meta({ description: 'Attributes of the event that a deregistration opens.', 'x-v1': 'the same' }),
  user: z
    .string()
    .max(255)
    .nullish()
    .meta({ description: 'User with whose credentials the agent connects.', 'x-v1': 'the same' }),
  redact: z
    .array(z.string())
    .max(LIST_MAX)
    .nullish()
    .meta({ description: 'Names of attributes whose values are shown as `REDACTED`.', 'x-v1': 'the same' }),
  keepalive_handlers: z
    .array(z.string().min(1))
    .max(LIST_MAX)
    .nullish()
    .meta({ description: 'Handlers of the keepalive events.', 'x-v1': '`keepalive.handlers`' }),
  sensu_agent_version: z
    .string()
    .max(255)
    .nullish()
    .meta({ description: 'Version of the agent.', 'x-v1': '`version`' }),
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
