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

/** Longest selector; `shared/domain/selector.ts` reads it. */
const SELECTOR_LENGTH_MAX = 1024;

/** Longest selector of an entry that comes back: silences of Alertmanager may have many matchers. */
export const STORED_SELECTOR_LENGTH_MAX = 16_384;

/** The target of a silence of our own API: a subscription, a check, both, or a selector (silencing 1). */
export const silencedTarget = {
  subscription: subscriptionSchema.nullish(),
  check: objectNameSchema.nullish(),
  selector: z.string().min(1).max(SELECTOR_LENGTH_MAX).nullish(),
};

/** What a silence is about: one of both parts at least, or a selector. `null` and absent mean the same. */
export interface SilencedTargetParts {
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
  readonly selector?: string | null | undefined;
}

/** Whether it says what is silenced, in one of both ways. */
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

/** Whether it is in force once, or again and again: no end of its own has a meaning for what recurs. */
function hasOneTime({ begin, expire, expire_on_resolve: endsWithEvent, recurrence }: SubmittedTime): boolean {
  if (!recurrence) return true;
  return (begin ?? null) === null && (expire ?? EXPIRE_NEVER) === EXPIRE_NEVER && endsWithEvent !== true;
}

const TIME_MESSAGE =
  'goes without begin, expire and expire_on_resolve: its schedule and duration say when it is in force, first_day and last_day ' +
  'from when to when';

/**
 * Body of `POST /api/mon/v1/silenced`. What it does not know is refused: a schedule or an end under a wrong name would make a
 * silence that never ends.
 */
export const monSilencedSchema = z
  .strictObject({ ...silencedTarget, ...terms, recurrence: recurrenceSchema.nullish() })
  .refine(isOneTarget, { message: TARGET_MESSAGE })
  .refine(hasOneTime, { message: TIME_MESSAGE, path: ['recurrence'] });

export type SubmittedMonSilenced = z.infer<typeof monSilencedSchema>;

/** Body of `POST /silenced/clear`: `id` wins; otherwise the id is computed from the parts (completion 1.2). */
export const clearSilencedSchema = z
  .looseObject({
    id: z.string().nullish(),
    subscription: z.string().nullish(),
    check: nameSchema.nullish(),
  })
  .refine((body) => (body.id ?? body.subscription ?? body.check ?? undefined) !== undefined, {
    message: 'one of id, subscription and check is required',
  });

/** When a reminder was sent that an entry ends soon, in epoch seconds, and how many open events it silenced then. */
export const reminderSentSchema = z.object({ at: z.number(), events: z.number() });
export type ReminderSent = Readonly<z.infer<typeof reminderSentSchema>>;

/** That an entry matched nothing for a long time, epoch seconds (spec, idleness). */
export const silenceIdleSchema = z.object({
  /** Nothing matched from here on. */
  since: z.number(),
  /** When it was marked. */
  at: z.number(),
  /** When it is ended unless something matches it; absent: it never is for that. */
  ends_at: z.number().exactOptional(),
});
export type SilenceIdle = Readonly<z.infer<typeof silenceIdleSchema>>;

/** An entry as it is kept. */
export interface SilencedEntry extends Expiring {
  readonly id: string;
  readonly subscription: string | null;
  readonly check: string | null;
  /** What finds the checks on clients that it silences, in place of both parts; absent: they name them (silencing 1). */
  readonly selector?: string;
  readonly reason: string | null;
  readonly creator: string | null;
  /** Epoch seconds; null: in effect since it was made. */
  readonly begin: number | null;
  readonly expire_on_resolve: boolean;
  /** Epoch seconds. */
  readonly timestamp: number;
  /** Seconds that were asked for beside an end given as a time, which version 2 shows; absent: its end tells them. */
  readonly lifetime?: number | undefined;
  /** Of version 2. */
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
  /** When a reminder of its end was sent, and how many open events it silenced then (spec, reminder). */
  readonly reminder_sent?: ReminderSent;
  /** That it has matched nothing for long; absent: it has, or nobody can say so yet (spec, idleness). */
  readonly idle?: SilenceIdle;
  /** Which run of a command holds it while it lasts (spec, maintenance). */
  readonly run?: string | undefined;
  /** When it is in force again and again; begin and end are those of its present window, or else the next (silencing 3). */
  readonly recurrence?: Recurrence;
  /** Missing parts that version 2 was sent as `*`, and shows so. */
  readonly asterisks?: readonly ('subscription' | 'check')[] | undefined;
}

/** How often an entry kept handlers from running; gone with it, and begun anew with one that takes its place. */
export interface SilencedUse {
  /** Runs of handlers that it kept back; one that several entries kept back counts for each of them. */
  readonly suppressed: number;
  /** Epoch seconds of the last of them; null: there was none. */
  readonly last_suppressed: number | null;
  /** Of one that recurs: those of the last window in which there were any. */
  readonly window?: WindowUse;
}

/** What is kept of the use of an entry. */
export interface KeptUse extends SilencedUse {
  /**
   * Epoch seconds from which it matched nothing: moved with the clock, and by the time in which no backend ran. Absent: nobody
   * counts yet (spec, idleness 2).
   */
  readonly unmatched_since?: number;
}

/** What a window kept back. */
export const windowUseSchema = z.object({
  /** Of the window, epoch seconds. */
  begin: z.number(),
  suppressed: z.number(),
});
export type WindowUse = Readonly<z.infer<typeof windowUseSchema>>;

/** An entry as it is read: every key is always there, `expire` counts down or is -1 (completion 1.2, clients 1.12). */
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
  /** Only where all namespaces are asked for: where it is. */
  readonly namespace?: string;
};

/** An entry with what it has kept back: `GET /api/mon/v1/silenced`. */
export type SilencedDetail = SilencedView &
  SilencedUse & {
    /** Epoch seconds, to the millisecond; null: never. */
    readonly expire_at: number | null;
    /** Absent: subscription and check say what it silences. */
    readonly selector?: string;
    /** Absent: it is in force once. */
    readonly recurrence?: Recurrence;
    /** The reminder of its end; absent: none was sent (spec, reminder). */
    readonly reminder_sent?: ReminderSent;
    /** Absent: it is not idle. */
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
