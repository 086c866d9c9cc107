import type { CheckDefinition } from './check.ts';

/** An item of `GET /api/mon/v1/checks`: the definition, redacted, when the backend asks for it next, and how it is doing. */
export type ScheduledCheck = CheckDefinition & {
  readonly name: string;
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  readonly next_run: number | null;
  /** Clients by the severity of their last result. */
  readonly results: Readonly<Record<'ok' | 'warning' | 'critical' | 'unknown', number>>;
};
