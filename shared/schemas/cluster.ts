import { z } from 'zod';
import { answer } from './answer.ts';

/** `GET /api/mon/v1/cluster`: the backends that share a store, as the responding member knows them. */
export const clusterAnswer = answer(
  z.looseObject({
    /** The id of the responding member. */
    member_id: z.string(),
    /** The leader, since when it leads (epoch seconds), and the number of its term; null: there is none. */
    leader: z.looseObject({ id: z.string(), since: z.number(), epoch: z.number() }).nullable(),
    /** The number of the newest write that the responding member knows of. */
    seq: z.number(),
    database: z.looseObject({
      kind: z.enum(['leveldb', 'postgres']),
      /** A directory, or a URL without credentials. */
      location: z.string(),
      state: z.enum(['ok', 'unavailable']),
      /** The reason for `unavailable`. */
      problem: z.string().nullable(),
    }),
    /** By name, then id; with LevelDB it is the one. */
    members: z.array(
      z.looseObject({
        /** Another one after each start. */
        id: z.string(),
        /** Host name and port: `db1:4567`. */
        name: z.string(),
        /** Where the other members and, usually, agents and consoles reach it: `https://10.0.0.1:4567`. */
        url: z.string(),
        version: z.string(),
        /** When it started, epoch seconds. */
        since: z.number(),
        /** The time of its last heartbeat, epoch seconds. */
        last_seen: z.number(),
        role: z.enum(['leader', 'follower']),
        /** `lagging`: too far behind to serve requests, see the setting `stale-after`; `lost`: no recent heartbeat. */
        state: z.enum(['ok', 'lagging', 'lost']),
        /** The number of the newest write in its memory. */
        seq: z.number(),
        /** The number of writes that are not in its memory yet. */
        lag: z.number(),
        /** The reason why the responding member does not communicate with it; absent: it does. */
        problem: z.string().exactOptional(),
      }),
    ),
  }),
);
export type ClusterView = z.infer<typeof clusterAnswer>;
export type ClusterMember = ClusterView['members'][number];

/** `POST /api/mon/v1/cluster/hand-over`; `to`: the id or name of the next leader, by default the smallest lag. */
export const handOverSchema = z.strictObject({ to: z.string().min(1).max(300).optional() });
