import { z } from 'zod';
import { answer, texts, type AnswerOf } from './answer.ts';
import { clientAnswer } from './client.ts';

/** What a table shows of the last result of a client and check. */
const lastResult = {
  /** Null: the last result was deleted while its event stays. */
  status: z.number().nullable(),
  /** Epoch seconds. */
  executed: z.number().nullable(),
  /** The last statuses, oldest first. */
  history: z.array(z.number()),
  /** The first line. */
  output: z.string(),
};

/** An item of `GET /api/mon/v1/checks/:check/results`: what one client says, the worst first. */
export const checkOfClientAnswer = answer(
  z.looseObject({
    client: z.string(),
    ...lastResult,
    /** Whether its open event is silenced now. */
    silenced: z.boolean(),
  }),
);
export type CheckOfClient = z.infer<typeof checkOfClientAnswer>;

/** A check in `GET /api/mon/v1/clients/:client`. */
const clientCheckAnswer = z.looseObject({
  name: z.string(),
  ...lastResult,
  /** Seconds; null: it has none, or nobody has said. */
  interval: z.number().nullable(),
  /** The open event. */
  event: z
    .looseObject({
      id: z.string(),
      action: z.string(),
      status: z.number(),
      occurrences: z.number(),
      silenced_by: texts,
    })
    .nullable(),
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  next_run: z.number().nullable(),
});
export type ClientCheck = AnswerOf<typeof clientCheckAnswer>;

/** A client with all its checks. */
export const clientDetailAnswer = z.looseObject({ client: clientAnswer, checks: z.array(clientCheckAnswer) });
export type ClientDetail = z.infer<typeof clientDetailAnswer>;
