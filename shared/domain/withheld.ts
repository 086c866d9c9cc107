import { WITHHELD_NAMES_MAX, type Inhibited } from '../schemas/inhibition.ts';

/* Whom an inhibition keeps an event from, who are to hear of it when it is free (inhibition 2). */

/** What an event remembers of those whom an inhibition kept it from. */
export interface Withholding {
  /** While it is quiet. */
  readonly inhibited?: Inhibited | undefined;
  /** Handlers that it was kept from, and that no result has named since it is free; 20 at most. */
  readonly owed?: readonly string[] | undefined;
}

/** What is remembered of an event that was open by two names: the later one decides, and what either owed is owed. */
export function joinedWithholding(before: Withholding, after: Withholding, named: readonly string[]): Withholding {
  const { inhibited } = after;
  const owed = [...owedHandlers(before), ...(after.owed ?? [])];
  if (inhibited === undefined) return { inhibited, owed: stillOwed({ owed }, named) };
  const isUnknown = before.inhibited?.isWithheld === true && before.inhibited.withheldFrom === undefined;
  if (owed.length === 0 && !isUnknown) return { inhibited };
  const withheldFrom = isUnknown ? undefined : withheldNames(inhibited, owed);
  return { inhibited: { ...inhibited, isWithheld: true, withheldFrom } };
}

/** Who is to hear of an event when it is free, as far as they are known by name. */
function owedHandlers({ inhibited, owed = [] }: Withholding): readonly string[] {
  const withheldFrom = (inhibited?.isWithheld === true ? inhibited.withheldFrom : undefined) ?? [];
  return [...withheldFrom, ...owed];
}

/**
 * To whom it is still owed after a result.
 *
 * @param named the handlers of that result, which nothing keeps quiet
 * @returns undefined: nobody is left
 */
export function stillOwed(before: Withholding, named: readonly string[]): readonly string[] | undefined {
  const left = owedHandlers(before).filter((name) => !named.includes(name));
  return left.length === 0 ? undefined : [...new Set(left)].slice(0, WITHHELD_NAMES_MAX);
}

/** Whether a handler is to hear of an event that is free. */
export function isOwedTo({ inhibited, owed = [] }: Withholding, handler: string): boolean {
  return owed.includes(handler) || isWithheldFrom(inhibited, handler);
}

/** The handlers that it is kept from with some more; undefined: all of them. */
export function withheldNames(before: Inhibited | undefined, more: readonly string[]): string[] | undefined {
  const known = before?.isWithheld === true ? before.withheldFrom : [];
  if (known === undefined) return undefined;
  const fresh = more.filter((name) => !known.includes(name));
  if (fresh.length === 0) return known;
  const names = [...known, ...fresh];
  return names.length <= WITHHELD_NAMES_MAX ? names : undefined;
}

/** Whether an inhibition keeps an event from a handler that would have run. */
function isWithheldFrom(inhibited: Inhibited | undefined, handler: string): boolean {
  if (inhibited?.isWithheld !== true) return false;
  return inhibited.withheldFrom === undefined || inhibited.withheldFrom.includes(handler);
}
