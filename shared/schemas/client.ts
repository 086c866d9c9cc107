import { z } from 'zod';
import { NAME_LENGTH_MAX, freeNameSchema, nameSchema } from './name.ts';
import { numberOrNull, numberOrZero, textOrEmpty, textsOrNone, type ResponseOf } from './response.ts';

/** Maximum number of subscriptions, of handlers, and of redacted keys of one client (security S7). */
const LIST_MAX = 1000;

const handlers = {
  handler: z.string().max(NAME_LENGTH_MAX).nullish(),
  handlers: z.array(z.string().min(1).max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish(),
};

const port = z.int().min(0).max(65_535);

const thresholdsSchema = z.looseObject({
  warning: z.int().positive().nullish(),
  critical: z.int().positive().nullish(),
});

/**
 * A submitted client: `POST /clients`, the keepalive of an agent, or the `client` section of a configuration
 * (completion 1.10). Unknown attributes are kept.
 */
export const clientSchema = z.looseObject({
  name: nameSchema,
  address: z.string().max(NAME_LENGTH_MAX),
  subscriptions: z.array(freeNameSchema.min(1).max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish(),
  keepalives: z.boolean().nullish(),
  safe_mode: z.boolean().nullish(),
  redact: z.array(z.string().max(NAME_LENGTH_MAX)).max(LIST_MAX).nullish(),
  signature: z.string().nullish(),
  socket: z.looseObject({ enabled: z.boolean().nullish(), bind: z.string().nullish(), port: port.nullish() }).nullish(),
  http_socket: z
    .looseObject({
      enabled: z.boolean().nullish(),
      bind: z.string().nullish(),
      port: port.nullish(),
      user: z.string().nullish(),
      password: z.string().nullish(),
      protect_all_endpoints: z.boolean().nullish(),
    })
    .refine((socket) => (socket.user ?? undefined) === undefined || typeof socket.password === 'string', {
      message: 'is required with user',
      path: ['password'],
    })
    .nullish(),
  keepalive: z.looseObject({ ...handlers, thresholds: thresholdsSchema.nullish() }).nullish(),
  registration: z.looseObject({ ...handlers, status: z.int().nullish() }).nullish(),
  deregister: z.boolean().nullish(),
  deregistration: z.looseObject({ ...handlers, status: z.int().nullish() }).nullish(),
});

export type SubmittedClient = z.infer<typeof clientSchema>;

/** A client as it is stored and shown. The last of its subscriptions is always its own, `client:<name>`. */
export interface Client {
  readonly name: string;
  readonly address: string;
  readonly subscriptions: readonly string[];
  /** Time of the last keepalive, in epoch seconds. */
  readonly timestamp: number;
  readonly version: string;
  /** False if the client is not expected to send keepalives. */
  readonly keepalives?: boolean | null | undefined;
  readonly [attribute: string]: unknown;
}

/** Schema of a client in a response, with only the attributes that callers rely on, see `response.ts`. */
export const clientResponse: z.ZodType<Client> = z.looseObject({
  name: z.string(),
  address: textOrEmpty,
  subscriptions: textsOrNone,
  timestamp: numberOrZero,
  version: textOrEmpty,
});

/** Schema of `ClientHistory`, with only the attributes that callers rely on, see `response.ts`. */
export const clientHistoryResponse = z.looseObject({
  check: z.string(),
  history: z.array(z.coerce.number()),
  last_execution: numberOrNull,
  last_status: numberOrNull,
});

/** The history of a check on a client: its most recent statuses, oldest first, and its last run in epoch seconds. */
export type ClientHistory = z.infer<typeof clientHistoryResponse>;

/** The response to `DELETE /api/mon/v1/clients?q=`. */
export const deletedClientsResponse = z.object({
  deleted: z.number(),
  /** True if more clients match. Repeat the request to delete them. */
  more: z.boolean(),
});
export type DeletedClients = ResponseOf<typeof deletedClientsResponse>;
