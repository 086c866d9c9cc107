import { z } from 'zod';
import { FULL_EVENTS_MAX } from './full-events.ts';
import { NAME_LENGTH_MAX } from './name.ts';

export const FEED_TOPICS = ['events', 'silenced', 'clients', 'upgrades', 'groups', 'inhibitions'] as const;
export type FeedTopic = (typeof FEED_TOPICS)[number];

/** Most transports that one consumer may ask for. */
const TRANSPORTS_MAX = 100;

/** The first message of a consumer that showed no credentials with its handshake, where they are needed. */
export const feedLoginSchema = z.strictObject({ type: z.literal('authenticate'), key: z.string().max(256) });

/** Longest time that a consumer may ask to be left alone for, in milliseconds. */
const PACE_MS_MAX = 10_000;

const search = z.string().max(1024).optional();

/** What a consumer may send. */
export const feedRequestSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('subscribe'),
      /** May be empty beside `transports`. */
      topics: z.array(z.enum(FEED_TOPICS)).max(FEED_TOPICS.length),
      /** Names of pipes that transport handlers publish on. */
      transports: z.array(z.string().min(1).max(255)).max(TRANSPORTS_MAX).optional(),
      /** A name, or `*`: all that the credentials may see. Default: `default`. */
      namespace: z.string().min(1).max(NAME_LENGTH_MAX).optional(),
      /** In the search language of `domain/search.ts`, for events only; the default is everything. */
      filter: search,
      /** The same for other topics, over their own fields: `domain/search-nouns.ts`. */
      filters: z.strictObject({ silenced: search, clients: search, groups: search, inhibitions: search }).optional(),
      /** Whether the events of a snapshot are to come in columns; default: false. */
      columns: z.boolean().optional(),
      since: z.int().min(0).optional(),
      store: z.string().max(64).optional(),
    })
    .refine(({ topics, transports = [] }) => topics.length + transports.length > 0, {
      path: ['topics'],
      message: 'must not be empty without transports',
    }),
  z.strictObject({
    type: z.literal('pace'),
    /** The least time between two frames of changes, in milliseconds; 0: as often as there are any. */
    ms: z.int().min(0).max(PACE_MS_MAX),
    /** Keys of the events whose full rows the consumer needs; all others are sent in brief. Default: all full. */
    full: z.array(z.string().max(1024)).max(FULL_EVENTS_MAX).optional(),
  }),
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type FeedRequest = z.infer<typeof feedRequestSchema>;
