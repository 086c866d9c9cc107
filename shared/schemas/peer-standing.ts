import { z } from 'zod';

/** `GET`: the replication state of a member, requested by other members of the same store. */
export const PEER_STANDING_PATH = '/api/mon/v1/peers/standing';

export interface PeerStanding {
  /** Sequence number of the newest write in its memory. */
  readonly seq: number;
  /** Whether it can reach the database. */
  readonly hears_database: boolean;
}

export const peerStandingSchema: z.ZodType<PeerStanding> = z.object({
  seq: z.int().min(0),
  hears_database: z.boolean(),
});
