import { z } from 'zod';

/** Maximum length of names in requests, messages and configuration files. */
export const NAME_LENGTH_MAX = 255;

/**
 * Names of the v1 API: word characters, dots and hyphens (reference 2.2). `.` and `..` are excluded, because a path
 * treats them as directories (security S10).
 */
const NAME_PATTERN = /^(?!\.{1,2}$)[\w.-]+$/;

/** Names of proxy clients. They may contain tokens such as `:::name:::`, which are substituted later. */
const SOURCE_PATTERN = /^(?!\.{1,2}$)(?:[\w.-]|:::[\w.|-]+:::)+$/;

/** Names of subscriptions. They may have the prefixes `client:`, `roundrobin:` and `direct:`. */
const SUBSCRIPTION_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** True if a path would treat the name as the current or the parent directory. */
export function isDotName(name: unknown): boolean {
  return name === '.' || name === '..';
}

export const DOTS_MESSAGE = 'must not be . or ..';

/**
 * Returns a function that makes the error message for an invalid name.
 *
 * @param allowed the valid characters, in words
 */
function nameMessage(allowed: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (isDotName(input) ? DOTS_MESSAGE : `must be ${allowed} only`);
}

const namePatternMessage = nameMessage('word characters, dots and hyphens');

export const nameSchema = z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN, { error: namePatternMessage });

/** Names of the v2 API, which may contain colons, such as `fe80::1`. */
const OBJECT_NAME_PATTERN = /^(?!\.{1,2}$)[\w.:-]+$/;

/** Maximum length of most names in the v2 API. Sensu Go has no limit. */
const OBJECT_NAME_LENGTH_MAX = 512;

const objectNameProblem = nameMessage('word characters, dots, hyphens and colons');

/** The name of a check, handler, pipeline or similar object in the v2 API, and of any check with stored results. */
export const objectNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(OBJECT_NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/**
 * The name of an entity or a namespace in the v2 API, and of a stored client. It is short enough to be part of a
 * subscription.
 */
export const v2NameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(OBJECT_NAME_PATTERN, { error: objectNameProblem });

/**
 * Any name except `.` and `..`. As in Sensu, it is for subscriptions of clients, and for handlers, filters and mutators
 * in configuration files.
 */
export const freeNameSchema = z.string().refine((name) => !isDotName(name), DOTS_MESSAGE);

export const sourceSchema = z.string().max(NAME_LENGTH_MAX).regex(SOURCE_PATTERN, { error: namePatternMessage });

/** The name of any stored client, which may contain a token that was not substituted. */
export const storedClientNameSchema = z.union([sourceSchema, v2NameSchema], { error: namePatternMessage });

export const subscriptionSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(SUBSCRIPTION_PATTERN, { error: nameMessage('word characters, dots, hyphens and colons') });
