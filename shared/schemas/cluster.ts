import { z } from 'zod';
import { answer } from './answer.ts';

/** `GET /api/mon/v1/cluster`: the backends that share a store, as known to the member that answers. */
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
      /** Location without credentials: a directory or a URL. */
      location: z.string(),
      state: z.enum(['ok', 'unavailable']),
      /** The reason why the database is not reachable. */
      problem: z.string().nullable(),
    }),
    /** Members by name, then id; with LevelDB there is only one. */
    members: z.array(
      z.looseObject({
        /** Changes with each start. */
        id: z.string(),
        /** Host name and port: `db1:4567`. */
        name: z.string(),
        /** URL for other members and usually for agents and consoles: `https://10.0.0.1:4567`. */
        url: z.string(),
        version: z.string(),
        /** Start of the member, epoch seconds. */
        since: z.number(),
        /** Last contact, epoch seconds. */
        last_seen: z.number(),
        role: z.enum(['leader', 'follower']),
        /** `lagging`: it lags too far behind to serve reads; `lost`: it has had no contact for a while. */
        state: z.enum(['ok', 'lagging', 'lost']),
        /** Sequence number of the newest write in its memory. */
        seq: z.number(),
        /** Number of writes that it has not received yet. */
        lag: z.number(),
        /** The reason why the member that answers exchanges no data with it; absent if there is no problem. */
        problem: z.string().exactOptional(),
      }),
    ),
  }),
);
export type ClusterView = z.infer<typeof clusterAnswer>;
export type ClusterMember = ClusterView['members'][number];

/** `POST /api/mon/v1/cluster/hand-over`; `to`: id or name of the next leader; default: any other member. */
export const handOverSchema = z.strictObject({ to: z.string().min(1).max(300).optional() });
