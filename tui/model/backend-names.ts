import { isSelectorId, silencedId } from '../../shared/domain/silencing.ts';
import type { SilencedTargetAttributes } from '../../shared/schemas/silenced.ts';

/** The context name that stands for all contexts merged into one list; no configured context can have this name. */
export const ALL_CONTEXTS = 'all';

/** The separator between a name and its context or namespace. Names, subscriptions and contexts cannot contain it. */
const CONTEXT_SEPARATOR = '@';

/** Returns `name@context`, the name in a merged list, where objects of several backends may have the same name. */
export function addContextToName(name: string, context: string): string {
  return `${name}${CONTEXT_SEPARATOR}${context}`;
}

/**
 * Splits a name of a merged list into the name at its backend and the context. If the name contains no context,
 * `context` is `undefined`.
 */
export function splitName(name: string): { readonly name: string; readonly context: string | undefined } {
  const at = name.lastIndexOf(CONTEXT_SEPARATOR);
  if (at === -1) return { name, context: undefined };
  return { name: name.slice(0, at), context: name.slice(at + 1) };
}

/** Returns `other` with the context of `name` added; returns `other` unchanged if `name` has no context. */
export function nameAtSameBackend(name: string, other: string): string {
  const { context } = splitName(name);
  return context === undefined ? other : addContextToName(other, context);
}

/**
 * Adds the context to one attribute of a silence: to its selector if it has one, else to its subscription, else to its
 * check.
 */
export function addContextToParts<Parts extends SilencedTargetAttributes>(parts: Parts, context: string): Parts {
  const { subscription, check, selector } = parts;
  if (typeof selector === 'string') return { ...parts, selector: addContextToName(selector, context) };
  if (typeof subscription === 'string') return { ...parts, subscription: addContextToName(subscription, context) };
  return typeof check === 'string' ? { ...parts, check: addContextToName(check, context) } : parts;
}

/**
 * Removes the context from the selector, subscription or check of a silence, and returns both. Inverse of
 * `addContextToParts`.
 */
export function removeContext<Parts extends SilencedTargetAttributes>(
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

/**
 * Returns the id of a silence in a merged list, with the context added to the same attribute as in `addContextToParts`.
 */
export function addContextToSilenceId(id: string, context: string): string {
  if (isSelectorId(id)) return addContextToName(id, context);
  // The last colon separates subscription and check: a subscription can contain colons, the name of a check cannot.
  const colon = id.lastIndexOf(':');
  const [subscription, check] = [id.slice(0, colon), id.slice(colon + 1)];
  return subscription === '*'
    ? silencedId(null, addContextToName(check, context))
    : silencedId(addContextToName(subscription, context), check);
}

/**
 * Splits the id of a silence in a merged list into the id at its backend and the context. If the id contains no
 * context, `context` is `undefined`.
 */
export function splitSilencedId(id: string): { readonly id: string; readonly context: string | undefined } {
  const at = id.indexOf(CONTEXT_SEPARATOR);
  if (at === -1) return { id, context: undefined };
  const colon = id.indexOf(':', at);
  const end = colon === -1 ? id.length : colon;
  return { id: id.slice(0, at) + id.slice(end), context: id.slice(at + 1, end) };
}
