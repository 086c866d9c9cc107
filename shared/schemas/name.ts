import { z } from 'zod';

/** Maximum length of names from outside. */
export const NAME_LENGTH_MAX = 255;

/** Word characters, dots and hyphens (reference 2.2), except names that a path treats as directories (security S10). */
const NAME_PATTERN = /^(?!\.{1,2}$)[\w.-]+$/;

/** The name of a proxy client, which may contain tokens that are substituted later (`:::name:::`). */
const SOURCE_PATTERN = /^(?!\.{1,2}$)(?:[\w.-]|:::[\w.|-]+:::)+$/;

/** Names in subscriptions, which may have the prefixes `client:`, `roundrobin:`, `direct:`. */
const SUBSCRIPTION_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** Whether a path would treat the name as the current or parent directory. */
export function isDots(name: unknown): boolean {
  return name === '.' || name === '..';
}

export const DOTS_MESSAGE = 'must not be . or ..';

/** @param allowed the valid characters, for the message */
function nameMessage(allowed: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (isDots(input) ? DOTS_MESSAGE : `must be ${allowed} only`);
}

const namePatternMessage = nameMessage('word characters, dots and hyphens');

export const nameSchema = z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN, { error: namePatternMessage });

/** Names in the v2 API, which may also contain colons, such as `fe80::1`. */
const OBJECT_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** Maximum length of names in the v2 API. The peer has no limit. */
const OBJECT_NAME_LENGTH_MAX = 512;

const objectNameProblem = nameMessage('word characters, dots, hyphens and colons');

/** The name of a check, handler, pipeline and the like in the v2 API, and of a check whose results are stored. */
export const objectNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(OBJECT_NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/** The name of an entity or a namespace in the v2 API, and of a stored client. Its length fits in a subscription. */
export const v2NameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/**
 * A nearly unrestricted name, as at the peer: subscriptions of clients, and handlers, filters and mutators in files.
 */
export const freeNameSchema = z.string().refine((name) => !isDots(name), DOTS_MESSAGE);

export const sourceSchema = z.string().max(NAME_LENGTH_MAX).regex(SOURCE_PATTERN, { error: namePatternMessage });

/** The name of any client that may be stored, including one with an unsubstituted token. */
export const storedClientNameSchema = z.union([sourceSchema, v2NameSchema], { error: namePatternMessage });

export const subscriptionSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(SUBSCRIPTION_PATTERN, { error: nameMessage('word characters, dots, hyphens and colons') });
