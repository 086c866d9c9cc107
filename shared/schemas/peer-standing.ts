import { z } from 'zod';

/** Path of the `GET` request by which cluster members ask each other for their replication state. */
export const PEER_STANDING_PATH = '/api/mon/v1/peers/standing';

export interface PeerStanding {
  /** Sequence number of the newest write that the member has received. */
  readonly seq: number;
  /** Whether the member can reach the database. */
  readonly hears_database: boolean;
}

export const peerStandingSchema: z.ZodType<PeerStanding> = z.object({
  seq: z.int().min(0),
  hears_database: z.boolean(),
});
