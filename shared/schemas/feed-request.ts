import { z } from 'zod';
import { FULL_EVENTS_MAX } from './full-events.ts';
import { NAME_LENGTH_MAX } from './name.ts';

export const FEED_TOPICS = [
  'attributes',
  'events',
  'silenced',
  'clients',
  'upgrades',
  'groups',
  'inhibitions',
] as const;
export type FeedTopic = (typeof FEED_TOPICS)[number];

/** Maximum number of transports that one consumer may subscribe to. */
const TRANSPORTS_MAX = 100;

/** The first message of a consumer that sent no credentials in its handshake, if the backend requires credentials. */
export const feedLoginSchema = z.strictObject({ type: z.literal('authenticate'), key: z.string().max(256) });

/** Maximum interval between frames that a consumer may request, in milliseconds. */
const PACE_MS_MAX = 10_000;

const searchSchema = z.string().max(1024).optional();

/** Messages from a feed consumer to the backend. */
export const feedRequestSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('subscribe'),
      /** Topics to subscribe to. May be empty with `transports`. */
      topics: z.array(z.enum(FEED_TOPICS)).max(FEED_TOPICS.length),
      /** Names of pipes to which handlers of the type `transport` publish. */
      transports: z.array(z.string().min(1).max(255)).max(TRANSPORTS_MAX).optional(),
      /** A namespace, or `*` for all namespaces that the credentials may read. Default: `default`. */
      namespace: z.string().min(1).max(NAME_LENGTH_MAX).optional(),
      /** A search that selects events (`domain/search.ts`). Default: all events. */
      filter: searchSchema,
      /** Searches for the rows of the other topics, each with its own search fields (`domain/list-searches.ts`). */
      filters: z
        .strictObject({
          silenced: searchSchema,
          clients: searchSchema,
          groups: searchSchema,
          inhibitions: searchSchema,
        })
        .optional(),
      /** True to receive the events of a snapshot in columns. Default: false. */
      columns: z.boolean().optional(),
      since: z.int().min(0).optional(),
      store: z.string().max(64).optional(),
    })
    .refine(({ topics, transports = [] }) => topics.length + transports.length > 0, {
      path: ['topics'],
      message: 'must contain a topic, unless transports are selected',
    }),
  z.strictObject({
    type: z.literal('pace'),
    /** Minimum milliseconds between two frames of changes; 0: no minimum. */
    ms: z.int().min(0).max(PACE_MS_MAX),
    /**
     * Keys of the events whose changes are sent in full; changes of all other events are sent in brief. Default: all in
     * full.
     */
    full: z.array(z.string().max(1024)).max(FULL_EVENTS_MAX).optional(),
  }),
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type FeedRequest = z.infer<typeof feedRequestSchema>;
