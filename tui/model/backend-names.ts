import { isSelectorId, silencedId } from '../../shared/domain/silencing.ts';
import type { SilencedTargetParts } from '../../shared/schemas/silenced.ts';

/** The name under which all contexts are shown as one; no context can have it. */
export const ALL_CONTEXTS = 'all';

/** Between a name and its context. Neither names nor subscriptions nor contexts can hold it. */
const AT = '@';

/** A name as it is in the merged list, where several backends may have the same one. */
export function nameAt(name: string, context: string): string {
  return `${name}${AT}${context}`;
}

/** A name of the merged list taken apart; a name of a single backend has no context. */
export function splitName(name: string): { readonly name: string; readonly context: string | undefined } {
  const at = name.lastIndexOf(AT);
  if (at === -1) return { name, context: undefined };
  return { name: name.slice(0, at), context: name.slice(at + 1) };
}

/** Another name at the same backend as `name`. */
export function nameBeside(name: string, other: string): string {
  const { context } = splitName(name);
  return context === undefined ? other : nameAt(other, context);
}

/** The context goes with the subscription, and with the check or the selector where there is none. */
export function partsAt<Parts extends SilencedTargetParts>(parts: Parts, context: string): Parts {
  const { subscription, check, selector } = parts;
  if (typeof selector === 'string') return { ...parts, selector: nameAt(selector, context) };
  if (typeof subscription === 'string') return { ...parts, subscription: nameAt(subscription, context) };
  return typeof check === 'string' ? { ...parts, check: nameAt(check, context) } : parts;
}

/** The parts of one backend, and which backend that is. */
export function splitParts<Parts extends SilencedTargetParts>(
  parts: Parts,
): { readonly parts: Parts; readonly context: string | undefined } {
  const { subscription, check, selector } = parts;
  if (typeof selector === 'string') {
    const { name, context } = splitName(selector);
    return { parts: { ...parts, selector: name }, context };
  }
  if (typeof subscription === 'string') {
    const { name, context } = splitName(subscription);
    return { parts: { ...parts, subscription: name }, context };
  }
  if (typeof check !== 'string') return { parts, context: undefined };
  const { name, context } = splitName(check);
  return { parts: { ...parts, check: name }, context };
}

/** The id of a silenced entry in the merged list: that of its parts there. */
export function silencedIdAt(id: string, context: string): string {
  if (isSelectorId(id)) return nameAt(id, context);
  // Subscriptions hold colons, names of checks do not.
  const colon = id.lastIndexOf(':');
  const [subscription, check] = [id.slice(0, colon), id.slice(colon + 1)];
  return subscription === '*'
    ? silencedId(null, nameAt(check, context))
    : silencedId(nameAt(subscription, context), check);
}

/** The id at its backend, and which backend that is. */
export function splitSilencedId(id: string): { readonly id: string; readonly context: string | undefined } {
  const at = id.indexOf(AT);
  if (at === -1) return { id, context: undefined };
  const colon = id.indexOf(':', at);
  const end = colon === -1 ? id.length : colon;
  return { id: id.slice(0, at) + id.slice(end), context: id.slice(at + 1, end) };
}
