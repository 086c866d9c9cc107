import { z } from 'zod';

/** What a handler groups by at most. */
const NAMES_MAX = 10;

/** `client.datacenter`, `check.labels.team`. */
const ATTRIBUTE = /^(?:client|check)(?:\.[\w-]{1,64}){1,5}$/;

/** What a group has in common is shown everywhere. */
const SECRET = /(?:passw|secret|token|_key|community|credential)/i;

const nameSchema = z
  .string()
  .refine(
    (name) => isPlainName(name) || ATTRIBUTE.test(name),
    'must be client, check, subscription, or an attribute of client or check such as client.datacenter',
  )
  .refine((name) => !SECRET.test(name), 'would show a secret: group by another attribute');

function isPlainName(name: string): boolean {
  return name === 'client' || name === 'check' || name === 'subscription';
}

const DAY = 86_400;

/** What events have in common, by name. */
export const groupNamesSchema = z
  .array(nameSchema)
  .max(NAMES_MAX)
  .refine((names) => new Set(names).size === names.length, 'must not name anything twice');

/** How a handler tells of many events at once (grouping 1). Times in seconds. */
export const groupingAttributes = {
  /** One run for all events that have these in common; `[]`: for all events. Absent: one run for each. */
  group_by: groupNamesSchema.optional(),
  /** How long the first event of a group waits for others. */
  group_wait: z.number().min(0).max(DAY).optional(),
  /** Time between two runs of a group at least. */
  group_interval: z.number().min(1).max(DAY).optional(),
  /** A group with problems and without news is told again after this; 0: never. */
  repeat_interval: z
    .number()
    .min(0)
    .max(366 * DAY)
    .optional(),
  /** Events that one run has at most; the others are counted. */
  group_limit: z.int().min(1).max(1000).optional(),
};

const OTHERS = ['group_wait', 'group_interval', 'repeat_interval', 'group_limit'] as const;

/** Types of handlers that send a list, or one message of many events. */
const GROUPING_TYPES: ReadonlySet<string> = new Set(['pipe', 'webhook', 'email']);

/** Built in, and they write something of one event. */
const SINGLE_MUTATORS = /^(?:only_check_output|graphite_plaintext|influxdb_line|opentsdb_line|prometheus_text)$/;

type Grouping = Readonly<Record<string, unknown>> & { readonly type: string };

/** What makes no sense together, by the attribute that is to be changed. */
export function groupingProblems(handler: Grouping): (readonly [attribute: string, message: string])[] {
  const { group_by: by, group_interval: interval, repeat_interval: repeat, mutator, type } = handler;
  if (by === undefined) {
    return OTHERS.filter((name) => handler[name] !== undefined).map((name) => [name, 'needs group_by']);
  }
  const problems: (readonly [string, string])[] = [];
  if (!GROUPING_TYPES.has(type)) {
    problems.push(['group_by', `needs a handler of type pipe, webhook or email, and this one is ${type}`]);
  }
  if (typeof repeat === 'number' && repeat > 0 && repeat < (typeof interval === 'number' ? interval : GROUP_INTERVAL)) {
    problems.push(['repeat_interval', 'must not be shorter than group_interval: 0 for no repetitions']);
  }
  if (typeof mutator === 'string' && SINGLE_MUTATORS.test(mutator)) {
    problems.push(['mutator', `${mutator} makes something of one event: it does not go with group_by`]);
  }
  return problems;
}

/** Seconds, where a handler does not say. */
export const GROUP_WAIT = 30;
export const GROUP_INTERVAL = 300;
export const REPEAT_INTERVAL = 14_400;
export const GROUP_LIMIT = 100;

/** What happened to an event of a group since its last run. */
export type GroupChange = 'new' | 'changed' | 'resolved' | 'same';

/** A group as the API shows it: `GET /api/mon/v1/handler-groups`. */
export const groupAnswer = z.looseObject({
  namespace: z.string(),
  handler: z.string(),
  /** The same for all of its runs, and what `group=` finds its events by. */
  id: z.string().exactOptional(),
  /** What its events have in common, by the names of `group_by`. */
  by: z.record(z.string(), z.string()),
  /** Events whose problem persists. */
  firing: z.number(),
  /** The number of events with a pending notification. */
  pending: z.number(),
  /** The worst status of those that persist: `ok` when none does. */
  worst: z.enum(['ok', 'warning', 'critical', 'unknown']).exactOptional(),
  /** Epoch seconds of its last notification; null: none was sent yet. */
  notified_at: z.number().nullable(),
  /** Epoch seconds of its next flush. */
  due_at: z.number(),
});
export type GroupRow = z.infer<typeof groupAnswer>;
