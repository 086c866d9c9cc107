import { z } from 'zod';
import { expireSchema } from './expiry.ts';
import { EXPIRE_NEVER, type Expiring } from './lifetime.ts';
import { nameSchema, objectNameSchema, subscriptionSchema } from './name.ts';
import { recurrenceResponse, recurrenceSchema, type Recurrence, type SubmittedRecurrence } from './recurrence.ts';
import { numberOrNull, numberOrZero, booleanOrFalse, textOrNull, type ResponseOf } from './response.ts';

const SUBSCRIPTION =
  'Subscription whose clients are silenced, such as `client:web-1` for one client. Default: all clients.';
const CHECK = 'Name of the silenced check. Default: all checks.';

const targetAttributes = {
  subscription: subscriptionSchema.nullish().describe(SUBSCRIPTION),
  check: nameSchema.nullish().describe(CHECK),
};

const durationAttributes = {
  begin: z
    .int()
    .min(0)
    .nullish()
    .meta({ description: 'Time at which the silence begins. Default: now.', 'x-unit': 'epoch seconds' }),
  expire: expireSchema.meta({
    description:
      'Duration of the silence, counted from `begin` if that is in the future. -1 means that it never expires.',
    'x-unit': 'seconds',
    default: -1,
  }),
  expire_on_resolve: z.boolean().nullish().meta({
    description: 'Whether the silence ends when an event that it matches resolves.',
    default: false,
  }),
  reason: z.string().max(10_000).nullish().describe('Why the silence exists. The silence policy can require it.'),
  creator: z
    .string()
    .max(255)
    .nullish()
    .describe(
      'Name of the person or program that created the silence. Default in the mon API: the authenticated user.',
    ),
};

/** Body of `POST /silenced` (completion 1.2). Null counts as absent for every attribute. */
export const silencedSchema = z
  .looseObject({ ...targetAttributes, ...durationAttributes })
  .refine((entry) => (entry.subscription ?? entry.check ?? undefined) !== undefined, {
    message: 'at least one of subscription and check is required',
  });

export type SubmittedSilenced = z.infer<typeof silencedSchema>;

/** Maximum length of a selector. `shared/domain/selector.ts` parses selectors. */
const SELECTOR_LENGTH_MAX = 1024;

/** Maximum length of a selector in a restored silence. Silences from Alertmanager may have many matchers. */
export const STORED_SELECTOR_LENGTH_MAX = 16_384;

/** The target of a silence in the mon API: a subscription, a check, both, or a selector (silencing 1). */
export const silencedTarget = {
  subscription: subscriptionSchema.nullish().describe(SUBSCRIPTION),
  check: objectNameSchema.nullish().describe(CHECK),
  selector: z
    .string()
    .min(1)
    .max(SELECTOR_LENGTH_MAX)
    .nullish()
    .describe('Filter that selects the silenced events, instead of `subscription` and `check`.'),
};

/**
 * The target of a silence: at least one of `subscription` and `check`, or a `selector` alone. Null counts as absent.
 */
export interface SilencedTargetAttributes {
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
  readonly selector?: string | null | undefined;
}

/** True if the target is either a selector, or at least one of subscription and check, but not both. */
export function isOneTarget({ subscription, check, selector }: SilencedTargetAttributes): boolean {
  const hasParts = (subscription ?? check ?? undefined) !== undefined;
  return hasParts !== ((selector ?? undefined) !== undefined);
}

export const TARGET_MESSAGE = 'at least one of subscription and check is required, or else a selector alone';

interface SubmittedTime {
  readonly begin?: number | null | undefined;
  readonly expire?: number | null | undefined;
  readonly expire_on_resolve?: boolean | null | undefined;
  readonly recurrence?: SubmittedRecurrence | null | undefined;
}

/** True if the times are consistent: a recurring silence must not have `begin`, `expire` or `expire_on_resolve`. */
function hasConsistentTimes({ begin, expire, expire_on_resolve: endsWithEvent, recurrence }: SubmittedTime): boolean {
  if (!recurrence) return true;
  return (begin ?? null) === null && (expire ?? EXPIRE_NEVER) === EXPIRE_NEVER && endsWithEvent !== true;
}

const TIME_MESSAGE =
  'cannot be combined with begin, expire and expire_on_resolve: set schedule, duration, first_day and last_day of ' +
  'the recurrence';

/**
 * Body of `POST /api/mon/v1/silenced`. Unknown attributes are rejected, because a misspelled schedule or end could
 * create a silence that never ends.
 */
export const monSilencedSchema = z
  .strictObject({
    ...silencedTarget,
    ...durationAttributes,
    recurrence: recurrenceSchema
      .nullish()
      .describe('Schedule of a silence that recurs. It excludes `begin`, `expire` and `expire_on_resolve`.'),
  })
  .refine(isOneTarget, { message: TARGET_MESSAGE })
  .refine(hasConsistentTimes, { message: TIME_MESSAGE, path: ['recurrence'] });

export type SubmittedMonSilenced = z.infer<typeof monSilencedSchema>;

/**
 * Body of `POST /silenced/clear`. It names a silence by its `id`, otherwise by its subscription and check (completion
 * 1.2).
 */
export const clearSilencedSchema = z
  .looseObject({
    id: z.string().nullish(),
    subscription: z.string().nullish(),
    check: nameSchema.nullish(),
  })
  .refine((body) => (body.id ?? body.subscription ?? body.check ?? undefined) !== undefined, {
    message: 'one of id, subscription and check is required',
  });

/** The reminder that was sent about the end of a silence. */
export const reminderSentSchema = z.object({
  at: z.number().meta({ description: 'Time of the reminder.', 'x-unit': 'epoch seconds' }),
  events: z.number().describe('Number of events that the silence suppressed at that time.'),
});
export type ReminderSent = Readonly<z.infer<typeof reminderSentSchema>>;

/** Describes an idle silence: it has matched no event for a long time (spec, idleness). */
export const silenceIdleSchema = z.object({
  since: z.number().meta({ description: 'Time since which the silence matches no event.', 'x-unit': 'epoch seconds' }),
  at: z.number().meta({ description: 'Time at which the silence was marked as idle.', 'x-unit': 'epoch seconds' }),
  ends_at: z.number().exactOptional().meta({
    description: 'Time at which the silence ends unless it matches an event; absent if idle silences are not ended.',
    'x-unit': 'epoch seconds',
  }),
});
export type SilenceIdle = Readonly<z.infer<typeof silenceIdleSchema>>;

/** A silence as it is stored. */
export interface SilencedEntry extends Expiring {
  readonly id: string;
  readonly subscription: string | null;
  readonly check: string | null;
  /**
   * Selector of the silenced checks on clients; absent if `subscription` and `check` define the target (silencing 1).
   */
  readonly selector?: string;
  readonly reason: string | null;
  readonly creator: string | null;
  /** Start of the silence, in epoch seconds; null: its creation. */
  readonly begin: number | null;
  readonly expire_on_resolve: boolean;
  /** Time of creation, in epoch seconds. */
  readonly timestamp: number;
  /**
   * The requested lifetime in seconds, if the request also had an absolute end. The v2 API returns it. Absent: the v2
   * API computes the lifetime from the end.
   */
  readonly lifetime?: number | undefined;
  /** `labels` and `annotations` come from the v2 API. */
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
  /** The reminder that was sent about the end of the silence; absent: none yet (spec, reminder). */
  readonly reminder_sent?: ReminderSent;
  /** Present while the silence is marked as idle (spec, idleness). */
  readonly idle?: SilenceIdle;
  /** Id of the command run that renews this maintenance silence; absent for any other silence (spec, maintenance). */
  readonly run?: string | undefined;
  /**
   * The recurrence; absent if the silence does not recur. `begin` and `expireAtMs` are those of the current window, or
   * of the next one (silencing 3).
   */
  readonly recurrence?: Recurrence;
  /**
   * Those of subscription and check that a v2 client sent as `*`. The v2 API returns them as `*` instead of omitting
   * them.
   */
  readonly asterisks?: readonly ('subscription' | 'check')[] | undefined;
}

/** Counters of a silence. They are deleted with the silence, and reset when it is replaced. */
export interface SilenceCounters {
  /** Number of suppressed handler runs; a run that several silences suppress counts for each of them. */
  readonly suppressed: number;
  /** Time of the last suppressed run, in epoch seconds; null if there was none. */
  readonly last_suppressed: number | null;
  /** The counters of the last window in which the silence suppressed runs, if it recurs. */
  readonly window?: WindowUse;
}

/** The stored counters of a silence. */
export interface StoredSilenceCounters extends SilenceCounters {
  /**
   * Time since which the silence matches no event, in epoch seconds. It is adjusted for clock jumps, and for times in
   * which no backend ran. Absent: the time is not measured yet (spec, idleness 2).
   */
  readonly unmatched_since?: number;
}

/** The counter of a recurring silence for one window. */
export const windowUseSchema = z.object({
  begin: z.number().meta({ description: 'Start of the window.', 'x-unit': 'epoch seconds' }),
  suppressed: z.number().describe('Number of handler runs that were suppressed in the window.'),
});
export type WindowUse = Readonly<z.infer<typeof windowUseSchema>>;

/**
 * A silence as the API returns it. Every attribute is always present. `expire` is the number of remaining seconds, or
 * -1 for a silence without an end (completion 1.2, clients 1.12).
 */
export const silencedResponse = z.looseObject({
  id: z
    .string()
    .describe('ID of the silence: `SUBSCRIPTION:CHECK` with `*` for a missing part, or `selector-` and a hash.'),
  subscription: textOrNull.describe('The silenced subscription; null for none.'),
  check: textOrNull.describe('The silenced check; null for all checks.'),
  reason: textOrNull.describe('Why the silence exists; null for no reason.'),
  creator: textOrNull.describe('The person or program that created the silence; null if unknown.'),
  begin: numberOrNull.meta({
    description: 'Time at which the silence begins; null: its creation.',
    'x-unit': 'epoch seconds',
  }),
  expire_on_resolve: booleanOrFalse.describe('Whether the silence ends when an event that it matches resolves.'),
  timestamp: numberOrZero.meta({ description: 'Time of creation.', 'x-unit': 'epoch seconds' }),
  expire: z.number().meta({ description: 'Remaining time; -1 if the silence never expires.', 'x-unit': 'seconds' }),
});
export type SilencedView = ResponseOf<typeof silencedResponse> & {
  /** Namespace of the silence; present only if all namespaces are requested. */
  readonly namespace?: string;
};

/** A silence with its counters: an item of `GET /api/mon/v1/silenced`. */
export type SilencedDetail = SilencedView &
  SilenceCounters & {
    /** Time of expiry in epoch seconds, with fractions; null: never. */
    readonly expire_at: number | null;
    /** The selector that defines the target; absent if `subscription` and `check` define it. */
    readonly selector?: string;
    /** The recurrence; absent if the silence does not recur. */
    readonly recurrence?: Recurrence;
    /** The reminder that was sent about the end of the silence; absent: none yet (spec, reminder). */
    readonly reminder_sent?: ReminderSent;
    /** Present while the silence is marked as idle (spec, idleness). */
    readonly idle?: SilenceIdle;
  };

export const silencedDetailResponse: z.ZodType<SilencedDetail> = silencedResponse.extend({
  expire_at: z.number().nullable().meta({ description: 'Time of expiry; null: never.', 'x-unit': 'epoch seconds' }),
  selector: z.string().exactOptional().describe('The filter that selects the silenced events.'),
  suppressed: z
    .number()
    .describe(
      'Number of handler runs that the silence suppressed. A run that several silences suppress counts for each.',
    ),
  last_suppressed: z
    .number()
    .nullable()
    .meta({ description: 'Time of the last suppressed run; null if there was none.', 'x-unit': 'epoch seconds' }),
  window: windowUseSchema.exactOptional().describe('The last window of a recurring silence that suppressed runs.'),
  recurrence: recurrenceResponse.exactOptional().describe('The schedule of a silence that recurs.'),
  reminder_sent: reminderSentSchema
    .exactOptional()
    .describe('The reminder that was sent about the end of the silence.'),
  idle: silenceIdleSchema.exactOptional().describe('Present while the silence has matched no event for a long time.'),
});
