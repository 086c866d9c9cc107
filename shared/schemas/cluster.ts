import { z } from 'zod';
import { responseSchema } from './response.ts';

/** The backends that share a store, as known to the responding member: `GET /api/mon/v1/cluster`. */
export const clusterResponse = responseSchema(
  z.looseObject({
    /** The id of the responding member. */
    member_id: z.string(),
    /**
     * The leader: its id, the time since which it leads (epoch seconds), and the number of its term. Null: there is no
     * leader.
     */
    leader: z.looseObject({ id: z.string(), since: z.number(), epoch: z.number() }).nullable(),
    /** Sequence number of the newest write that the responding member knows of. */
    seq: z.number(),
    database: z.looseObject({
      kind: z.enum(['leveldb', 'postgres']),
      /** A directory, or a URL without credentials. */
      location: z.string(),
      state: z.enum(['ok', 'unavailable']),
      /** The reason why the database cannot be reached; null if it can. */
      problem: z.string().nullable(),
    }),
    /** All members, sorted by name and then by id. With LevelDB there is only one. */
    members: z.array(
      z.looseObject({
        /** Id of the member. A restart changes it. */
        id: z.string(),
        /** Name of the member: host name and port, such as `db1:4567`. */
        name: z.string(),
        /**
         * URL at which the other members reach this member, such as `https://10.0.0.1:4567`. Agents and consoles can
         * usually use it too.
         */
        url: z.string(),
        version: z.string(),
        /** Time at which the member was started, in epoch seconds. */
        since: z.number(),
        /** Time of the last contact with the member, in epoch seconds. */
        last_seen: z.number(),
        role: z.enum(['leader', 'follower']),
        /**
         * `lagging`: the member is too far behind the leader to serve reads; `lost`: there was no contact with it for a
         * while.
         */
        state: z.enum(['ok', 'lagging', 'lost']),
        /** Sequence number of the newest write that the member has received. */
        seq: z.number(),
        /** Number of writes that the member has not received yet. */
        lag: z.number(),
        /** The reason why the responding member cannot exchange data with this member; absent if it can. */
        problem: z.string().exactOptional(),
      }),
    ),
  }),
);
export type ClusterView = z.infer<typeof clusterResponse>;
export type ClusterMember = ClusterView['members'][number];

/** Body of `POST /api/mon/v1/cluster/hand-over`. `to`: id or name of the next leader; default: any other member. */
export const handOverSchema = z.strictObject({ to: z.string().min(1).max(300).optional() });
