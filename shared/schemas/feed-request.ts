import { z } from 'zod';

const topicSchema = z.enum(['events', 'silenced', 'clients']);
export type FeedTopic = z.infer<typeof topicSchema>;

/** What a consumer may send. */
export const feedRequestSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    topics: z.array(topicSchema).min(1).max(3),
    /** In the search language of `domain/search.ts`, for events only; the default is everything. */
    filter: z.string().max(1024).optional(),
    since: z.int().min(0).optional(),
    store: z.string().max(64).optional(),
  }),
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({ type: z.literal('pong') }),
]);
export type FeedRequest = z.infer<typeof feedRequestSchema>;
