import { z } from 'zod';

/** Maximum number of attributes to group by. */
const GROUP_ATTRIBUTES_MAX = 10;

/** An attribute such as `client.datacenter` or `check.labels.team`. */
const ATTRIBUTE_FORMAT = /^(?:client|check)(?:\.[\w-]{1,64}){1,5}$/;

/**
 * Names of attributes whose values may be secret. Events must not be grouped by them, because group values are
 * displayed.
 */
const SECRET_NAME = /(?:passw|secret|token|_key|community|credential)/i;

const nameSchema = z
  .string()
  .refine(
    (name) => isPlainName(name) || ATTRIBUTE_FORMAT.test(name),
    'must be client, check, subscription, or an attribute of client or check such as client.datacenter',
  )
  .refine((name) => !SECRET_NAME.test(name), 'would reveal a secret: use another attribute');

function isPlainName(name: string): boolean {
  return name === 'client' || name === 'check' || name === 'subscription';
}

const DAY_SECONDS = 86_400;

/** The attributes in `group_by`, without duplicates. */
export const groupNamesSchema = z
  .array(nameSchema)
  .max(GROUP_ATTRIBUTES_MAX)
  .refine((names) => new Set(names).size === names.length, 'must not contain duplicates');

/** Defaults of the grouping attributes: times in seconds, and the maximum number of events in one run. */
export const GROUP_WAIT = 30;
export const GROUP_INTERVAL = 300;
export const REPEAT_INTERVAL = 14_400;
export const GROUP_LIMIT = 100;

/** Attributes of a handler definition for grouping (grouping 1). */
export const groupingAttributes = {
  group_by: groupNamesSchema
    .optional()
    .describe(
      'The handler runs once for all events with equal values of these attributes: `client`, `check`, `subscription`,' +
        ' or a path such as `client.datacenter`. `[]` means once for all events. Default: once per event.',
    ),
  group_wait: z.number().min(0).max(DAY_SECONDS).optional().meta({
    description: 'Time for which the first event of a group waits for other events.',
    'x-unit': 'seconds',
    default: GROUP_WAIT,
  }),
  group_interval: z.number().min(1).max(DAY_SECONDS).optional().meta({
    description: 'Minimum time between two runs for a group.',
    'x-unit': 'seconds',
    default: GROUP_INTERVAL,
  }),
  repeat_interval: z
    .number()
    .min(0)
    .max(366 * DAY_SECONDS)
    .optional()
    .meta({
      description: 'Time after which a firing group without changes is notified again. 0 means never.',
      'x-unit': 'seconds',
      default: REPEAT_INTERVAL,
    }),
  group_limit: z.int().min(1).max(1000).optional().meta({
    description: 'Maximum number of events that one run lists. Further events are only counted.',
    default: GROUP_LIMIT,
  }),
};

const GROUPING_SETTINGS = ['group_wait', 'group_interval', 'repeat_interval', 'group_limit'] as const;

/** Handler types that support `group_by`: they can send a list of events, or one message about many events. */
const GROUPING_TYPES: ReadonlySet<string> = new Set(['pipe', 'webhook', 'email']);

/** Built-in mutators that support a single event only. */
const SINGLE_MUTATORS = /^(?:only_check_output|graphite_plaintext|influxdb_line|opentsdb_line|prometheus_text)$/;

type Grouping = Readonly<Record<string, unknown>> & { readonly type: string };

/** Returns error messages for invalid combinations of attributes, each with the attribute to change. */
export function groupingProblems(handler: Grouping): (readonly [attribute: string, message: string])[] {
  const { group_by: by, group_interval: interval, repeat_interval: repeat, mutator, type } = handler;
  if (by === undefined) {
    return GROUPING_SETTINGS.filter((name) => handler[name] !== undefined).map((name) => [name, 'needs group_by']);
  }
  const problems: (readonly [string, string])[] = [];
  if (!GROUPING_TYPES.has(type)) {
    problems.push(['group_by', `needs a handler of type pipe, webhook or email, and this one is ${type}`]);
  }
  if (typeof repeat === 'number' && repeat > 0 && repeat < (typeof interval === 'number' ? interval : GROUP_INTERVAL)) {
    problems.push(['repeat_interval', 'must not be shorter than group_interval: 0 for no repetitions']);
  }
  if (typeof mutator === 'string' && SINGLE_MUTATORS.test(mutator)) {
    problems.push(['mutator', `${mutator} handles single events: it cannot be combined with group_by`]);
  }
  return problems;
}

/** How an event of a group changed since the last run for the group. */
export type GroupChange = 'new' | 'changed' | 'resolved' | 'same';

/** A group of events of a handler, in the format of the API: `GET /api/mon/v1/handler-groups`. */
export const groupResponse = z.looseObject({
  namespace: z.string(),
  handler: z.string(),
  /** Id of the group, the same in all its runs. The search `group=ID` finds its events. */
  id: z.string().exactOptional(),
  /** The common values of the events in the group, by the attribute names in `group_by`. */
  by: z.record(z.string(), z.string()),
  /** Number of firing events in the group. */
  firing: z.number(),
  /** Number of events in the group whose notifications are pending. */
  pending: z.number(),
  /** The worst status of the firing events in the group; `ok` if there are none. */
  worst: z.enum(['ok', 'warning', 'critical', 'unknown']).exactOptional(),
  /** Time of the last run of the group, in epoch seconds; null if there was none. */
  notified_at: z.number().nullable(),
  /** Time of the next flush of the group, in epoch seconds. */
  due_at: z.number(),
});
export type GroupRow = z.infer<typeof groupResponse>;
