import { z } from 'zod';
import { answer, texts, type AnswerOf } from './answer.ts';
import { clientAnswer } from './client.ts';

/** The last result of a client and check, for tables. */
const lastResult = {
  /** Null if the last result was deleted and its event stays. */
  status: z.number().nullable(),
  /** Epoch seconds. */
  executed: z.number().nullable(),
  /** The last statuses, oldest first. */
  history: z.array(z.number()),
  /** The first line of the output. */
  output: z.string(),
};

/** An item of `GET /api/mon/v1/checks/:check/results`: the result of one client; the worst come first. */
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
  /** Seconds; null if the check has no interval, or it is unknown. */
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
  /** Epoch seconds; null if the backend does not schedule the check. */
  next_run: z.number().nullable(),
});
export type ClientCheck = AnswerOf<typeof clientCheckAnswer>;

/** A client with all its checks. */
export const clientDetailAnswer = z.looseObject({ client: clientAnswer, checks: z.array(clientCheckAnswer) });
export type ClientDetail = z.infer<typeof clientDetailAnswer>;
