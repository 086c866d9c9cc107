import { z } from 'zod';

/** Longest name of anything that arrives from outside. */
export const NAME_LENGTH_MAX = 255;

/** Word characters, dots and hyphens (reference 2.2), but for what a path takes for a folder (security S10). */
const NAME_PATTERN = /^(?!\.{1,2}$)[\w.-]+$/;

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
function nameMessage(allowed: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (isDots(input) ? DOTS_MESSAGE : `must be ${allowed} only`);
}

const namePatternMessage = nameMessage('word characters, dots and hyphens');

export const nameSchema = z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN, { error: namePatternMessage });

/** Names of version 2: with colons as well, such as `fe80::1`. */
const OBJECT_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** Longest name of an object of version 2. The peer has no bound. */
const OBJECT_NAME_LENGTH_MAX = 512;

const objectNameProblem = nameMessage('word characters, dots, hyphens and colons');

/** The name of a check, a handler, a pipeline and the like of version 2, and of a check whose results are stored. */
export const objectNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(OBJECT_NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/** The name of an entity or a namespace of version 2, and of a stored client. Its length fits into a subscription. */
export const v2NameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/** Of what the peer lets be called nearly anything: subscriptions of clients, and handlers, filters and mutators in files. */
export const freeNameSchema = z.string().refine((name) => !isDots(name), DOTS_MESSAGE);

export const sourceSchema = z.string().max(NAME_LENGTH_MAX).regex(SOURCE_PATTERN, { error: namePatternMessage });

/** The name of any client that may be stored, also one named after a token that nobody substituted. */
export const storedClientNameSchema = z.union([sourceSchema, v2NameSchema], { error: namePatternMessage });

export const subscriptionSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(SUBSCRIPTION_PATTERN, { error: nameMessage('word characters, dots, hyphens and colons') });
