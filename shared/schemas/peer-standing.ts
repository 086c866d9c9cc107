import { z } from 'zod';

/** `GET`: how far a backend is, asked by another one that shares its store. */
export const PEER_STANDING_PATH = '/api/mon/v1/peers/standing';

export interface PeerStanding {
  /** Of the newest write in its memory. */
  readonly seq: number;
  /** Whether it reaches the database. */
  readonly hears_database: boolean;
}

export const peerStandingSchema: z.ZodType<PeerStanding> = z.object({
  seq: z.int().min(0),
  hears_database: z.boolean(),
});
