import { z } from 'zod';

/** `GET /api/mon/v1/versions`: what runs where, and what the store holds. */
export interface Versions {
  readonly backend: {
    readonly version: string;
    /** The level of the legacy API. */
    readonly compatible: string;
    /** The level of the newer API. */
    readonly core: string;
    /** Of the runtime, as `24.1.0`. */
    readonly node: string;
  };
  /** The versions that clients name, the most frequent first, at most 50 of them. */
  readonly agents: readonly AgentVersion[];
  readonly store: {
    readonly id: string;
    readonly schema: number;
    /** Of its files; null: it has none that could be measured. */
    readonly bytes: number | null;
  };
  /** What a copy of everything would hold. */
  readonly records: Readonly<Record<RecordKind, number>>;
}

export interface AgentVersion {
  /** Empty: there is no agent on them. */
  readonly version: string;
  readonly clients: number;
}

export const RECORD_KINDS = ['clients', 'results', 'events', 'silenced', 'stashes', 'audit'] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

/** As callers rely on it, see `answer.ts`. */
export const versionsAnswer: z.ZodType<Versions> = z.looseObject({
  backend: z.looseObject({
    version: z.string(),
    compatible: z.string(),
    core: z.string().default(''),
    node: z.string(),
  }),
  agents: z.array(z.looseObject({ version: z.string(), clients: z.number() })),
  store: z.looseObject({ id: z.string(), schema: z.number(), bytes: z.number().nullable() }),
  records: z.looseObject({
    clients: z.number(),
    results: z.number(),
    events: z.number(),
    silenced: z.number(),
    stashes: z.number(),
    audit: z.number(),
  }),
});
