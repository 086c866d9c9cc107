import { z } from 'zod';

/** `GET /api/mon/v1/cluster`: the backends that share a store, as the one that answers knows them. */
export interface ClusterView {
  /** The id of the member that answers. */
  readonly answered_by: string;
  /** The member that writes; null: none does at the moment. */
  readonly writer: {
    readonly id: string;
    /** Since when, epoch seconds. */
    readonly since: number;
    /** How often the right to write was taken so far. */
    readonly epoch: number;
  } | null;
  /** Of the newest write that the member which answers knows of. */
  readonly seq: number;
  readonly database: {
    readonly kind: 'leveldb' | 'postgres';
    /** Where it is, without credentials: a directory or a URL. */
    readonly place: string;
    readonly state: 'ok' | 'away';
    /** Why it is away. */
    readonly problem: string | null;
  };
  /** By name, then id; with LevelDB it is the one. */
  readonly members: readonly ClusterMember[];
}

export interface ClusterMember {
  /** Another one after each start. */
  readonly id: string;
  /** Host name and port: `db1:4567`. */
  readonly name: string;
  /** Where the other members and, usually, agents and consoles reach it: `https://10.0.0.1:4567`. */
  readonly url: string;
  readonly version: string;
  /** When it started, epoch seconds. */
  readonly since: number;
  /** When it was last heard of, epoch seconds. */
  readonly last_seen: number;
  readonly role: 'writer' | 'member';
  /** `behind`: too far to be asked, see the setting `stale-after`; `gone`: not heard of for a while. */
  readonly state: 'ok' | 'behind' | 'gone';
  /** Of the newest write that is in its memory. */
  readonly seq: number;
  /** Writes that are not there yet. */
  readonly behind: number;
}

export const clusterAnswer: z.ZodType<ClusterView> = z.looseObject({
  answered_by: z.string(),
  writer: z.looseObject({ id: z.string(), since: z.number(), epoch: z.number() }).nullable(),
  seq: z.number(),
  database: z.looseObject({
    kind: z.enum(['leveldb', 'postgres']),
    place: z.string(),
    state: z.enum(['ok', 'away']),
    problem: z.string().nullable(),
  }),
  members: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      url: z.string(),
      version: z.string(),
      since: z.number(),
      last_seen: z.number(),
      role: z.enum(['writer', 'member']),
      state: z.enum(['ok', 'behind', 'gone']),
      seq: z.number(),
      behind: z.number(),
    }),
  ),
});

/** `POST /api/mon/v1/cluster/hand-over` */
export interface HandOver {
  /** The id or the name of the member that shall write; absent: any other one. */
  readonly to?: string | undefined;
}

export const handOverSchema: z.ZodType<HandOver> = z.strictObject({ to: z.string().min(1).max(300).optional() });
