import { z } from 'zod';
import { KEEPALIVE_THRESHOLDS } from './keepalive.ts';
import { NAME_LENGTH_MAX, freeNameSchema, nameSchema } from './name.ts';
import { numberOrNull, numberOrZero, textOrEmpty, textsOrNone, type ResponseOf } from './response.ts';

/** Maximum number of subscriptions, of handlers, and of redacted keys of one client (security S7). */
const LIST_MAX = 1000;

/** The attributes that name the handlers of an event about a client, with this default. */
function handlersOf(defaultHandler: string) {
  return {
    handler: z.string().max(NAME_LENGTH_MAX).nullish().describe('Name of one handler. `handlers` overrides it.'),
    handlers: z
      .array(z.string().min(1).max(NAME_LENGTH_MAX))
      .max(LIST_MAX)
      .nullish()
      .describe(`Handlers of the event. They replace the default, the handler \`${defaultHandler}\`.`),
  };
}

/** The attributes of an input for local programs, with this default port. */
function inputOf(defaultPort: number) {
  return {
    enabled: z.boolean().nullish().meta({ description: 'Whether the agent opens the input.', default: true }),
    bind: z.string().nullish().meta({ description: 'Address to listen on.', default: '127.0.0.1' }),
    port: z.int().min(0).max(65_535).nullish().meta({ description: 'Port to listen on.', default: defaultPort }),
  };
}

const statusSchema = z.int().nullish().meta({ description: 'Status of the event.', default: 1 });

const thresholdsSchema = z.looseObject({
  warning: z.int().positive().nullish().meta({
    description: 'Time without a keepalive after which the status is warning.',
    'x-unit': 'seconds',
    default: KEEPALIVE_THRESHOLDS.warning,
  }),
  critical: z.int().positive().nullish().meta({
    description: 'Time without a keepalive after which the status is critical.',
    'x-unit': 'seconds',
    default: KEEPALIVE_THRESHOLDS.critical,
  }),
});

/**
 * A submitted client: `POST /clients`, the keepalive of an agent, or the `client` section of a configuration
 * (completion 1.10). Unknown attributes are kept. The descriptions are printed on a page of the documentation.
 */
export const clientSchema = z.looseObject({
  name: nameSchema.describe('Name of the client. The agent uses the host name by default.'),
  address: z
    .string()
    .max(NAME_LENGTH_MAX)
    .describe('Address that is shown to operators. The agent uses the address of the machine by default.'),
  subscriptions: z
    .array(freeNameSchema.min(1).max(NAME_LENGTH_MAX))
    .max(LIST_MAX)
    .nullish()
    .describe('Subscriptions of the client: it runs their checks. `client:NAME` is always one of them.'),
  keepalives: z
    .boolean()
    .nullish()
    .describe(
      'Whether the backend expects keepalives of the client. Default: true for agents, and false for clients that are' +
        ' created over the API.',
    ),
  safe_mode: z.boolean().nullish().meta({
    description: 'Whether the agent runs only checks that its own configuration defines.',
    default: false,
  }),
  redact: z
    .array(z.string().max(NAME_LENGTH_MAX))
    .max(LIST_MAX)
    .nullish()
    .describe(
      'Names of attributes with secrets. The list replaces the default list (`password`, `api_key` and others).',
    ),
  signature: z
    .string()
    .nullish()
    .describe('Text that keepalives and results of the client must contain, once the backend has received it.'),
  socket: z.looseObject(inputOf(3030)).nullish().describe('The TCP and UDP inputs of the agent for local programs.'),
  http_socket: z
    .looseObject({
      ...inputOf(3031),
      user: z.string().nullish().describe('User name for the HTTP input. Needs `password`.'),
      password: z.string().nullish().describe('Password for the HTTP input.'),
      protect_all_endpoints: z.boolean().nullish().meta({
        description: 'Whether every endpoint requires the user and the password, and not only `/settings`.',
        default: false,
      }),
    })
    .refine((socket) => (socket.user ?? undefined) === undefined || typeof socket.password === 'string', {
      message: 'is required with user',
      path: ['password'],
    })
    .nullish()
    .describe('The HTTP input of the agent for local programs.'),
  keepalive: z
    .looseObject({
      ...handlersOf('keepalive'),
      thresholds: thresholdsSchema.nullish().describe('The age of the last keepalive that opens an event.'),
    })
    .nullish()
    .describe('Attributes of the keepalive events of the client. Every attribute of a check is allowed.'),
  registration: z
    .looseObject({ ...handlersOf('registration'), status: statusSchema })
    .nullish()
    .describe('Attributes of the event that announces a new client. Every attribute of a check is allowed.'),
  deregister: z.boolean().nullish().meta({
    description: 'Whether the agent removes its client from the backend when it stops.',
    default: false,
  }),
  deregistration: z
    .looseObject({ ...handlersOf('deregistration'), status: statusSchema })
    .nullish()
    .describe(
      'Attributes of the event that the agent sends with `deregister`. Its default handler removes the client.',
    ),
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
  name: z.string().describe('Name of the client.'),
  address: textOrEmpty.describe('Address of the client.'),
  subscriptions: textsOrNone.describe('Subscriptions of the client. The last one is `client:NAME`.'),
  timestamp: numberOrZero.meta({ description: 'Time of the last keepalive.', 'x-unit': 'epoch seconds' }),
  version: textOrEmpty.describe('Version of the agent.'),
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
