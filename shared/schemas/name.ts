import { z } from 'zod';

/** Longest name of anything that arrives from outside. */
export const NAME_LENGTH_MAX = 255;

/** Word characters, dots and hyphens (reference 2.2), but for what a path takes for a folder (security S10). */
export const NAME_PATTERN = /^(?!\.{1,2}$)[\w.-]+$/;

/** Where a proxy client's name may be a token that is substituted later (`:::name:::`). */
const SOURCE_PATTERN = /^(?!\.{1,2}$)(?:[\w.-]|:::[\w.|-]+:::)+$/;

/** Names also allowed in subscriptions: the prefixes `client:`, `roundrobin:`, `direct:`. */
const SUBSCRIPTION_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** Whether a path takes it for the folder that it is in, or for the one around that. */
export function isDots(name: unknown): boolean {
  return name === '.' || name === '..';
}

export const DOTS_MESSAGE = 'must not be . or ..';

/** @param allowed what a name is made of */
export function nameMessage(allowed: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (isDots(input) ? DOTS_MESSAGE : `must be ${allowed} only`);
}

const saysName = nameMessage('word characters, dots and hyphens');

export const nameSchema = z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN, { error: saysName });

/** Of what the peer lets be called nearly anything: subscriptions of clients, and handlers, filters and mutators in files. */
export const freeNameSchema = z.string().refine((name) => !isDots(name), DOTS_MESSAGE);

export const sourceSchema = z.string().max(NAME_LENGTH_MAX).regex(SOURCE_PATTERN, { error: saysName });

export const subscriptionSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(SUBSCRIPTION_PATTERN, { error: nameMessage('word characters, dots, hyphens and colons') });
