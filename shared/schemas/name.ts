import { z } from 'zod';

/** Longest name of anything that arrives from outside. */
export const NAME_LENGTH_MAX = 255;

/** Word characters, dots and hyphens (reference 2.2). */
export const NAME_PATTERN = /^[\w.-]+$/;

/** Where a proxy client's name may be a token that is substituted later (`:::name:::`). */
const SOURCE_PATTERN = /^(?:[\w.-]|:::[\w.|-]+:::)+$/;

/** Names also allowed in subscriptions: the prefixes `client:`, `roundrobin:`, `direct:`. */
const SUBSCRIPTION_PATTERN = /^[\w.:-]+$/;

const nameMessage = 'must be word characters, dots and hyphens only';

export const nameSchema = z.string().max(NAME_LENGTH_MAX).regex(NAME_PATTERN, nameMessage);

export const sourceSchema = z.string().max(NAME_LENGTH_MAX).regex(SOURCE_PATTERN, nameMessage);

export const subscriptionSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(SUBSCRIPTION_PATTERN, 'must be word characters, dots, hyphens and colons only');
