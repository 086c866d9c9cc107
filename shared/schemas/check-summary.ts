import { z } from 'zod';
import { texts } from './answer.ts';
import { clientAnswer } from './client.ts';

/** What a table shows of the last result of a client and check. */
interface LastResult {
  /** Null: the last result was deleted while its event stays. */
  readonly status: number | null;
  /** Epoch seconds. */
  readonly executed: number | null;
  /** The last statuses, oldest first. */
  readonly history: readonly number[];
  /** The first line. */
  readonly output: string;
}

/** An item of `GET /api/mon/v1/checks/:check/results`: what one client says, the worst first. */
export interface CheckOfClient extends LastResult {
  readonly client: string;
  /** Whether its open event is silenced now. */
  readonly silenced: boolean;
}

/** A check in `GET /api/mon/v1/clients/:client`. */
export interface ClientCheck extends LastResult {
  readonly name: string;
  /** Seconds; null: it has none, or nobody has said. */
  readonly interval: number | null;
  /** The open event. */
  readonly event: {
    readonly id: string;
    readonly action: string;
    readonly status: number;
    readonly occurrences: number;
    readonly silenced_by: readonly string[];
  } | null;
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  readonly next_run: number | null;
}

const lastResult = {
  status: z.number().nullable(),
  executed: z.number().nullable(),
  history: z.array(z.number()),
  output: z.string(),
};

/** As callers rely on it, see `answer.ts`. */
export const checkOfClientAnswer: z.ZodType<CheckOfClient> = z.looseObject({
  client: z.string(),
  ...lastResult,
  silenced: z.boolean(),
});

/** As callers rely on it, see `answer.ts`. */
export const clientDetailAnswer = z.looseObject({
  client: clientAnswer,
  checks: z.array(
    z.looseObject({
      name: z.string(),
      ...lastResult,
      interval: z.number().nullable(),
      event: z
        .looseObject({
          id: z.string(),
          action: z.string(),
          status: z.number(),
          occurrences: z.number(),
          silenced_by: texts,
        })
        .nullable(),
      next_run: z.number().nullable(),
    }) satisfies z.ZodType<ClientCheck>,
  ),
});

/** A client with all its checks. */
export type ClientDetail = z.infer<typeof clientDetailAnswer>;
