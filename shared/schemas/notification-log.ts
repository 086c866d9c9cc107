import { z } from 'zod';

/** Maximum number of handlers in one set of a notification log. A larger set is stored as `all`. */
export const LOGGED_HANDLERS_MAX = 20;

/**
 * A set of handlers, by name. `all`: the set has more than `LOGGED_HANDLERS_MAX` handlers, or their names are not
 * known.
 */
const handlerSetSchema = z.union([z.literal('all'), z.array(z.string()).max(LOGGED_HANDLERS_MAX).readonly()]);
export type HandlerSet = z.infer<typeof handlerSetSchema>;

/** The event that inhibits another event, and the inhibition rule. */
export const inhibitorRefSchema = z.object({
  /** Name of the inhibition rule, and a hash of its definition. */
  rule: z.string(),
  fingerprint: z.string(),
  /** Client and check of the inhibiting event. */
  client: z.string(),
  check: z.string(),
  /** Hash of the values that both events have in common; absent in records of older versions. */
  equalHash: z.string().max(100).optional(),
});
export type InhibitorRef = Readonly<z.infer<typeof inhibitorRefSchema>>;

/** The notification log of an open event: which handlers were notified, what suppresses it, and what is pending. */
export const notificationLogSchema = z.object({
  /** Handlers that were notified of the problem. */
  notified: handlerSetSchema.optional(),
  /** True if the event has been inhibited since it opened, so that its resolution is not notified either. */
  neverNotified: z.literal(true).optional(),
  /** The inhibitor that suppressed the notifications for the last result. */
  inhibitedBy: inhibitorRefSchema.optional(),
  /** Notifications that will be sent when the suppression ends. */
  pending: z
    .object({
      /** True if a silence suppressed a notification and no notification was sent since. */
      silence: z.literal(true).optional(),
      /** Handlers whose notification was suppressed by an inhibition. */
      inhibition: handlerSetSchema.optional(),
    })
    .optional(),
});
export type NotificationLog = Readonly<z.infer<typeof notificationLogSchema>>;

/** The fields of an event of schema 4 that the notification log replaces. */
interface Schema4Fields {
  readonly isSuppressed?: true | undefined;
  readonly isHeld?: true | undefined;
  readonly inhibited?:
    | {
        readonly rule: string;
        readonly mark: string;
        readonly client: string;
        readonly check: string;
        readonly isWithheld?: true | undefined;
        readonly withheldFrom?: readonly string[] | undefined;
        readonly common?: string | undefined;
      }
    | undefined;
  readonly owed?: readonly string[] | undefined;
}

/**
 * Converts a stored or dumped event of schema 4 to an event with a notification log. A newer event is returned
 * unchanged.
 *
 * Schema 4 did not record which handlers were notified. If nothing suppressed the event, all its handlers count as
 * notified, otherwise none, so that its resolution is handled as in schema 4.
 */
export function withNotificationLog(event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('notifications' in event) return event;
  const {
    isSuppressed,
    isHeld: neverNotified,
    inhibited,
    owed: pendingHandlers,
    ...attributes
  } = event as Schema4Fields & Readonly<Record<string, unknown>>;
  const inhibition = pendingOf(inhibited, pendingHandlers);
  const isPending = isSuppressed !== undefined || inhibition !== undefined;
  const log = {
    ...(!isPending && neverNotified === undefined && { notified: 'all' }),
    ...(neverNotified && { neverNotified: true }),
    ...(inhibited && { inhibitedBy: inhibitorOf(inhibited) }),
    ...(isPending && { pending: { ...(isSuppressed && { silence: true }), ...(inhibition && { inhibition }) } }),
  };
  return { ...attributes, notifications: log };
}

function pendingOf(
  inhibited: Schema4Fields['inhibited'],
  pendingHandlers: readonly string[] = [],
): HandlerSet | undefined {
  const inhibitedHandlers = inhibited?.isWithheld === true ? (inhibited.withheldFrom ?? 'all') : [];
  if (inhibitedHandlers === 'all') return 'all';
  const names = [...new Set([...inhibitedHandlers, ...pendingHandlers])];
  if (names.length === 0) return undefined;
  return names.length <= LOGGED_HANDLERS_MAX ? names : 'all';
}

function inhibitorOf({ rule, mark, client, check, common }: NonNullable<Schema4Fields['inhibited']>): InhibitorRef {
  return { rule, fingerprint: mark, client, check, ...(common !== undefined && { equalHash: common }) };
}
