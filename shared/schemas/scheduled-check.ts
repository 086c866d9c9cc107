import type { CheckDefinition } from './check.ts';

/** An item of `GET /api/mon/v1/checks`: the definition, redacted, and when the backend asks for it next. */
export type ScheduledCheck = CheckDefinition & {
  readonly name: string;
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  readonly next_run: number | null;
};
