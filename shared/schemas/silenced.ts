import { z } from 'zod';
import { expireSchema } from './expiry.ts';
import { EXPIRE_NEVER, type Expiring } from './lifetime.ts';
import { nameSchema, objectNameSchema, subscriptionSchema } from './name.ts';
import { recurrenceAnswer, recurrenceSchema, type Recurrence, type SubmittedRecurrence } from './recurrence.ts';
import { numberOrNull, numberOrZero, orFalse, textOrNull, type AnswerOf } from './answer.ts';

const parts = { subscription: subscriptionSchema.nullish(), check: nameSchema.nullish() };

const terms = {
  begin: z.int().min(0).nullish(),
  expire: expireSchema,
  expire_on_resolve: z.boolean().nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
};

/** Body of `POST /silenced` (completion 1.2). `null` counts as absent everywhere. */
export const silencedSchema = z
  .looseObject({ ...parts, ...terms })
  .refine((entry) => (entry.subscription ?? entry.check ?? undefined) !== undefined, {
    message: 'at least one of subscription and check is required',
  });

export type SubmittedSilenced = z.infer<typeof silencedSchema>;

/** Maximum length of a selector; `shared/domain/selector.ts` parses it. */
const SELECTOR_LENGTH_MAX = 1024;

/** Maximum length of a selector in a restored silence: those from Alertmanager may have many matchers. */
export const STORED_SELECTOR_LENGTH_MAX = 16_384;

/** The target of a silence in the mon API: a subscription, a check, both, or a selector (silencing 1). */
export const silencedTarget = {
  subscription: subscriptionSchema.nullish(),
  check: objectNameSchema.nullish(),
  selector: z.string().min(1).max(SELECTOR_LENGTH_MAX).nullish(),
};

/** The target of a silence: at least one of subscription and check, or a selector. `null` and absent mean the same. */
export interface SilencedTargetParts {
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
  readonly selector?: string | null | undefined;
}

/** Whether exactly one kind of target is present: parts or a selector. */
export function isOneTarget({ subscription, check, selector }: SilencedTargetParts): boolean {
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

/** Whether the times are consistent: a recurring silence must not have a begin or end of its own. */
function hasOneTime({ begin, expire, expire_on_resolve: endsWithEvent, recurrence }: SubmittedTime): boolean {
  if (!recurrence) return true;
  return (begin ?? null) === null && (expire ?? EXPIRE_NEVER) === EXPIRE_NEVER && endsWithEvent !== true;
}

const TIME_MESSAGE =
  'cannot be combined with begin, expire and expire_on_resolve: set schedule, duration, first_day and last_day of ' +
  'the recurrence';

/**
 * Body of `POST /api/mon/v1/silenced`. Unknown attributes are rejected: a misspelled schedule or end would create a
 * silence that never ends.
 */
export const monSilencedSchema = z
  .strictObject({ ...silencedTarget, ...terms, recurrence: recurrenceSchema.nullish() })
  .refine(isOneTarget, { message: TARGET_MESSAGE })
  .refine(hasOneTime, { message: TIME_MESSAGE, path: ['recurrence'] });

export type SubmittedMonSilenced = z.infer<typeof monSilencedSchema>;

/**
 * Body of `POST /silenced/clear`: `id` takes precedence; otherwise the id is computed from the parts (completion 1.2).
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

/** The sent reminder about the end of a silence: time in epoch seconds, and number of suppressed events. */
export const reminderSentSchema = z.object({ at: z.number(), events: z.number() });
export type ReminderSent = Readonly<z.infer<typeof reminderSentSchema>>;

/** The idle mark of a silence that matched nothing for a long time, in epoch seconds (spec, idleness). */
export const silenceIdleSchema = z.object({
  /** Start of the time without a match. */
  since: z.number(),
  /** Time of the mark. */
  at: z.number(),
  /** Time at which it is ended unless it matches an event; absent if idle silences are not ended. */
  ends_at: z.number().exactOptional(),
});
export type SilenceIdle = Readonly<z.infer<typeof silenceIdleSchema>>;

/** A silence as it is stored. */
export interface SilencedEntry extends Expiring {
  readonly id: string;
  readonly subscription: string | null;
  readonly check: string | null;
  /**
   * Selector of the silenced checks on clients, which replaces both parts; absent if the parts define the target
   * (silencing 1).
   */
  readonly selector?: string;
  readonly reason: string | null;
  readonly creator: string | null;
  /** Epoch seconds; null: active since it was created. */
  readonly begin: number | null;
  readonly expire_on_resolve: boolean;
  /** Epoch seconds. */
  readonly timestamp: number;
  /**
   * Requested lifetime in seconds, if an absolute end was also sent; the v2 API shows it. Absent: derived from the end.
   */
  readonly lifetime?: number | undefined;
  /** Labels of the v2 API. */
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
  /** The sent reminder about its end, with the number of open events that it suppressed (spec, reminder). */
  readonly reminder_sent?: ReminderSent;
  /** The idle mark; absent if it has matched something, or is not known to be idle yet (spec, idleness). */
  readonly idle?: SilenceIdle;
  /** Id of the command run that holds it for a maintenance (spec, maintenance). */
  readonly run?: string | undefined;
  /** The recurrence; begin and end are those of the present window, or else the next (silencing 3). */
  readonly recurrence?: Recurrence;
  /** Missing parts that a v2 client sent as `*`, which are shown in the same way. */
  readonly asterisks?: readonly ('subscription' | 'check')[] | undefined;
}

/** Number of runs that a silence suppressed; deleted with it, and reset when it is replaced. */
export interface SilencedUse {
  /** Number of suppressed handler runs; a run that several silences suppress counts for each of them. */
  readonly suppressed: number;
  /** Epoch seconds of the last suppressed run; null if there was none. */
  readonly last_suppressed: number | null;
  /** The use in the last window with suppressed runs, for a recurring silence. */
  readonly window?: WindowUse;
}

/** The stored use of a silence. */
export interface KeptUse extends SilencedUse {
  /**
   * Epoch seconds since which it matched nothing. It is adjusted for clock jumps and for time in which no backend ran.
   * Absent: the count has not started (spec, idleness 2).
   */
  readonly unmatched_since?: number;
}

/** The use of a silence in one window. */
export const windowUseSchema = z.object({
  /** Begin of the window, epoch seconds. */
  begin: z.number(),
  suppressed: z.number(),
});
export type WindowUse = Readonly<z.infer<typeof windowUseSchema>>;

/**
 * A silence as it is read: every key is always present, and `expire` counts down or is -1 (completion 1.2, clients
 * 1.12).
 */
export const silencedAnswer = z.looseObject({
  id: z.string(),
  subscription: textOrNull,
  check: textOrNull,
  reason: textOrNull,
  creator: textOrNull,
  begin: numberOrNull,
  expire_on_resolve: orFalse,
  timestamp: numberOrZero,
  expire: z.number(),
});
export type SilencedView = AnswerOf<typeof silencedAnswer> & {
  /** Present only if all namespaces are requested. */
  readonly namespace?: string;
};

/** A silence with its use: `GET /api/mon/v1/silenced`. */
export type SilencedDetail = SilencedView &
  SilencedUse & {
    /** Epoch seconds, to the millisecond; null: never. */
    readonly expire_at: number | null;
    /** Absent if subscription and check define the target. */
    readonly selector?: string;
    /** Absent if it does not recur. */
    readonly recurrence?: Recurrence;
    /** The sent reminder about its end; absent if there was none (spec, reminder). */
    readonly reminder_sent?: ReminderSent;
    /** Absent if it is not idle. */
    readonly idle?: SilenceIdle;
  };

export const silencedDetailAnswer: z.ZodType<SilencedDetail> = silencedAnswer.extend({
  expire_at: z.number().nullable(),
  selector: z.string().exactOptional(),
  suppressed: z.number(),
  last_suppressed: z.number().nullable(),
  window: windowUseSchema.exactOptional(),
  recurrence: recurrenceAnswer.exactOptional(),
  reminder_sent: reminderSentSchema.exactOptional(),
  idle: silenceIdleSchema.exactOptional(),
});
