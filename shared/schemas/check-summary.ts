import { z } from 'zod';
import { responseSchema, textsSchema, type ResponseOf } from './response.ts';
import { clientResponse } from './client.ts';

/** Attributes of the last result of a check on a client, for tables. */
const lastResult = {
  /** Status of the last result; null if the result was deleted and only its event remains. */
  status: z.number().nullable(),
  /** Time of the run, in epoch seconds; null if there is no result. */
  executed: z.number().nullable(),
  /** The most recent statuses, oldest first. */
  history: z.array(z.number()),
  /** The first line of the output. */
  output: z.string(),
};

/** An item of `GET /api/mon/v1/checks/:check/results`: the result of one client; the worst come first. */
export const checkOfClientResponse = responseSchema(
  z.looseObject({
    client: z.string(),
    ...lastResult,
    /** True if the open event of this check and client is silenced now. */
    silenced: z.boolean(),
  }),
);
export type CheckOfClient = z.infer<typeof checkOfClientResponse>;

/** A check in `GET /api/mon/v1/clients/:client`. */
const clientCheckResponse = z.looseObject({
  name: z.string(),
  ...lastResult,
  /** Seconds between two runs; null if the check has no interval, or the interval is not known. */
  interval: z.number().nullable(),
  /** The open event of the check; null if there is none. */
  event: z
    .looseObject({
      id: z.string(),
      action: z.string(),
      status: z.number(),
      occurrences: z.number(),
      silenced_by: textsSchema,
    })
    .nullable(),
  /** Time of the next scheduled run, in epoch seconds; null if the backend does not schedule the check. */
  next_run: z.number().nullable(),
});
export type ClientCheck = ResponseOf<typeof clientCheckResponse>;

/** A client with all its checks: `GET /api/mon/v1/clients/:client`. */
export const clientDetailResponse = z.looseObject({ client: clientResponse, checks: z.array(clientCheckResponse) });
export type ClientDetail = z.infer<typeof clientDetailResponse>;
