import { z } from 'zod';
import { answer } from './answer.ts';

/** `GET /api/mon/v1/versions`: what runs where, and what the store holds. */
export const versionsAnswer = answer(
  z.looseObject({
    backend: z.looseObject({
      version: z.string(),
      /** The level of version 1. */
      compatible: z.string(),
      /** The level of version 2. */
      core: z.string().default(''),
      /** Of the runtime, as `24.1.0`. */
      node: z.string(),
    }),
    /** The versions that clients name, the most frequent first, at most 50 of them; empty: there is no agent on them. */
    agents: z.array(z.looseObject({ version: z.string(), clients: z.number() })),
    /** `bytes`: of its files; null: it has none that could be measured. */
    store: z.looseObject({ id: z.string(), schema: z.number(), bytes: z.number().nullable() }),
    /** What a copy of everything would hold. */
    records: z.looseObject({
      clients: z.number(),
      results: z.number(),
      events: z.number(),
      silenced: z.number(),
      stashes: z.number(),
      audit: z.number(),
    }),
  }),
);
export type Versions = z.infer<typeof versionsAnswer>;
export type AgentVersion = Versions['agents'][number];
export type RecordKind = keyof Versions['records'];
