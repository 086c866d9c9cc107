import { z } from 'zod';
import { answer } from './answer.ts';

/** `GET /api/mon/v1/versions`: the versions of backend and agents, and the contents of the store. */
export const versionsAnswer = answer(
  z.looseObject({
    backend: z.looseObject({
      version: z.string(),
      /** The compatible Sensu Core version. */
      compatible: z.string(),
      /** The compatible Sensu Go version. */
      core: z.string().default(''),
      /** Version of Node.js, such as `24.1.0`. */
      node: z.string(),
    }),
    /** Versions of clients, most frequent first, at most 50; empty: clients without an agent. */
    agents: z.array(z.looseObject({ version: z.string(), clients: z.number() })),
    /** `bytes`: size of its files; null if it cannot be measured. */
    store: z.looseObject({ id: z.string(), schema: z.number(), bytes: z.number().nullable() }),
    /** Number of records that a complete copy would contain. */
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
