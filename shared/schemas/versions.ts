import { z } from 'zod';
import { responseSchema } from './response.ts';

/** The versions of the backend and the agents, and the contents of the store: `GET /api/mon/v1/versions`. */
export const versionsResponse = responseSchema(
  z.looseObject({
    backend: z.looseObject({
      version: z.string(),
      /** The Sensu Core version with which the backend is compatible. */
      compatible: z.string(),
      /** The Sensu Go version with which the backend is compatible; empty from an older backend. */
      core: z.string().default(''),
      /** Version of Node.js, such as `24.1.0`. */
      node: z.string(),
    }),
    /**
     * Agent versions with their number of clients, most frequent first, at most 50. An empty version stands for clients
     * without an agent.
     */
    agents: z.array(z.looseObject({ version: z.string(), clients: z.number() })),
    /** The store. `bytes`: the size of its files; null if it cannot be measured. */
    store: z.looseObject({ id: z.string(), schema: z.number(), bytes: z.number().nullable() }),
    /** Number of records that a complete copy of the store would contain. */
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
export type Versions = z.infer<typeof versionsResponse>;
export type AgentVersion = Versions['agents'][number];
export type RecordKind = keyof Versions['records'];
