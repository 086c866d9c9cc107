import { WITHHELD_NAMES_MAX, type Inhibited } from '../schemas/inhibition.ts';

/* Whom an inhibition keeps an event from, who are to hear of it when it is free (inhibition 2). */

/** What keeps an event quiet that was known by two names: the later one decides, and what is owed by either is. */
export function joinedInhibited(before: Inhibited | undefined, after: Inhibited | undefined): Inhibited | undefined {
  if (after === undefined || before?.isWithheld !== true) return after;
  const { withheldFrom } = before;
  return {
    ...after,
    isWithheld: true,
    withheldFrom: withheldFrom === undefined ? undefined : withheldNames(after, withheldFrom),
  };
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
export function isWithheldFrom(inhibited: Inhibited | undefined, handler: string): boolean {
  if (inhibited?.isWithheld !== true) return false;
  return inhibited.withheldFrom === undefined || inhibited.withheldFrom.includes(handler);
}
