import { WITHHELD_NAMES_MAX, type Inhibited } from '../../schemas/inhibition.ts';

/* The handlers that an inhibition suppresses an event for, and notifies when it ends (inhibition 2). */

/** The handlers that an event was inhibited for, as its state stores them. */
export interface Withholding {
  /** Present while the event is inhibited. */
  readonly inhibited?: Inhibited | undefined;
  /** Handlers with a pending notification that no result has named since the inhibition ended; at most 20. */
  readonly owed?: readonly string[] | undefined;
}

/**
 * Joins the state of an event that was open under two names. The later one decides whether it is inhibited, and the
 * pending handlers of both are kept.
 */
export function joinedWithholding(before: Withholding, after: Withholding, named: readonly string[]): Withholding {
  const { inhibited } = after;
  const owed = [...owedHandlers(before), ...(after.owed ?? [])];
  if (inhibited === undefined) return { inhibited, owed: stillOwed({ owed }, named) };
  const isUnknown = before.inhibited?.isWithheld === true && before.inhibited.withheldFrom === undefined;
  if (owed.length === 0 && !isUnknown) return { inhibited };
  const withheldFrom = isUnknown ? undefined : withheldNames(inhibited, owed);
  return { inhibited: { ...inhibited, isWithheld: true, withheldFrom } };
}

/** Returns the known names of handlers to notify when the inhibition ends. */
function owedHandlers({ inhibited, owed = [] }: Withholding): readonly string[] {
  const withheldFrom = (inhibited?.isWithheld === true ? inhibited.withheldFrom : undefined) ?? [];
  return [...withheldFrom, ...owed];
}

/**
 * Returns the handlers whose notification is still pending after a result.
 *
 * @param named handlers of that result, which are not inhibited
 * @returns undefined if there are none left
 */
export function stillOwed(before: Withholding, named: readonly string[]): readonly string[] | undefined {
  const left = owedHandlers(before).filter((name) => !named.includes(name));
  return left.length === 0 ? undefined : [...new Set(left)].slice(0, WITHHELD_NAMES_MAX);
}

/** Whether a handler has a pending notification of an event whose inhibition ended. */
export function isOwedTo({ inhibited, owed = [] }: Withholding, handler: string): boolean {
  return owed.includes(handler) || isWithheldFrom(inhibited, handler);
}

/** Adds names to the handlers that an inhibition suppressed; undefined: all handlers. */
export function withheldNames(before: Inhibited | undefined, more: readonly string[]): string[] | undefined {
  const known = before?.isWithheld === true ? before.withheldFrom : [];
  if (known === undefined) return undefined;
  const fresh = more.filter((name) => !known.includes(name));
  if (fresh.length === 0) return known;
  const names = [...known, ...fresh];
  return names.length <= WITHHELD_NAMES_MAX ? names : undefined;
}

/** Whether an inhibition suppresses an event for a handler that would have run. */
function isWithheldFrom(inhibited: Inhibited | undefined, handler: string): boolean {
  if (inhibited?.isWithheld !== true) return false;
  return inhibited.withheldFrom === undefined || inhibited.withheldFrom.includes(handler);
}
