import type { ClientRow } from './feed.ts';

/** An item of `GET /api/mon/v1/clients`. */
export type ListedClient = ClientRow & {
  /** Its open events. */
  readonly events: number;
  /** When its newest result was executed, epoch seconds; 0: it has none. */
  readonly last_result: number;
};
