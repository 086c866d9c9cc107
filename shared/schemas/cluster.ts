import { z } from 'zod';
import { answer } from './answer.ts';

/** `GET /api/mon/v1/cluster`: the backends that share a store, as the one that answers knows them. */
export const clusterAnswer = answer(
  z.looseObject({
    /** The id of the member that answers. */
    answered_by: z.string(),
    /**
     * The member that writes, since when (epoch seconds), and how often the right to write was taken so far; null: none does
     * at the moment.
     */
    writer: z.looseObject({ id: z.string(), since: z.number(), epoch: z.number() }).nullable(),
    /** Of the newest write that the member which answers knows of. */
    seq: z.number(),
    database: z.looseObject({
      kind: z.enum(['leveldb', 'postgres']),
      /** Where it is, without credentials: a directory or a URL. */
      place: z.string(),
      state: z.enum(['ok', 'away']),
      /** Why it is away. */
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
        /** When it was last heard of, epoch seconds. */
        last_seen: z.number(),
        role: z.enum(['writer', 'member']),
        /** `behind`: it lags too far behind to serve reads; `gone`: not heard of for a while. */
        state: z.enum(['ok', 'behind', 'gone']),
        /** Of the newest write that is in its memory. */
        seq: z.number(),
        /** Writes that are not there yet. */
        behind: z.number(),
        /** Why the member that answers exchanges nothing with it; absent: nothing is in the way. */
        problem: z.string().exactOptional(),
      }),
    ),
  }),
);
export type ClusterView = z.infer<typeof clusterAnswer>;
export type ClusterMember = ClusterView['members'][number];

/** `POST /api/mon/v1/cluster/hand-over`; `to`: the id or the name of the member that shall write, by default any other one. */
export const handOverSchema = z.strictObject({ to: z.string().min(1).max(300).optional() });
