import { z } from 'zod';

/** Maximum number of handlers that a notification log names; with more, the set counts as all handlers. */
export const LOGGED_HANDLERS_MAX = 20;

/** A set of handlers by name. `all`: there are more than 20, or the names are not known. */
const handlerSetSchema = z.union([z.literal('all'), z.array(z.string()).max(LOGGED_HANDLERS_MAX).readonly()]);
export type HandlerSet = z.infer<typeof handlerSetSchema>;

/** The event that inhibits another one, and the rule by which it does. */
export const inhibitorRefSchema = z.object({
  /** The name of the rule, and a hash of its definition. */
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
  /** The handlers that were notified of the problem. */
  notified: handlerSetSchema.optional(),
  /** True if the event has been inhibited since it opened, so that its resolution is not notified either. */
  neverNotified: z.literal(true).optional(),
  /** The inhibition that suppressed the last result. */
  inhibitedBy: inhibitorRefSchema.optional(),
  /** The notifications that are sent when the suppression ends. */
  pending: z
    .object({
      /** True if a silence suppressed a notification, and none was sent since. */
      silence: z.literal(true).optional(),
      /** The handlers whose notification an inhibition suppressed. */
      inhibition: handlerSetSchema.optional(),
    })
    .optional(),
});
export type NotificationLog = Readonly<z.infer<typeof notificationLogSchema>>;

/** The fields in which an event of schema 4 kept what is in the log now. */
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
 * Converts an event of schema 4, also from a dump, to one with a notification log. A newer event is returned unchanged.
 *
 * Schema 4 did not record who was notified. An event that nothing suppressed counts as notified to all of its handlers;
 * any other one to none, so that its resolution is treated as before.
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
