import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MonError } from '../../../shared/errors.ts';
import { aggregateNameSchema } from '../../../shared/schemas/aggregate.ts';
import { usernameSchema } from '../../../shared/schemas/v2/user.ts';
import {
  nameSchema,
  objectNameSchema,
  storedClientNameSchema,
  subscriptionSchema,
} from '../../../shared/schemas/name.ts';

/** What a part of a path may name. A client may have been named after a token that nobody substituted. */
const SCHEMAS = {
  client: storedClientNameSchema,
  check: objectNameSchema,
  subscription: subscriptionSchema,
  aggregate: aggregateNameSchema,
  severity: nameSchema,
  user: usernameSchema,
  key: nameSchema,
  /** As free as in a configuration. */
  handler: z.string().min(1).max(512),
  id: z
    .string()
    .max(512)
    .regex(/^[\w.*:-]+$/),
};

type Part = keyof typeof SCHEMAS;

/**
 * The named part of the path, decoded once (completion 1.1).
 *
 * @throws MonError `not_found` when nothing can have this name, `invalid` when it takes an escape to write it
 */
export function pathName(request: FastifyRequest, part: Part): string {
  const name = (request.params as Readonly<Record<string, string>>)[part] ?? '';
  if (SCHEMAS[part].safeParse(name).success) return name;
  // The peer matches before it decodes, so that a strange name is an unknown path to it: recorded as 404. Where an
  // escape made the name strange, the decision is to say so.
  const isEscaped = request.url.split('?', 1)[0]?.includes('%') === true;
  throw isEscaped
    ? new MonError('invalid', `"${name}" in the path is not a valid ${part} name`)
    : new MonError('not_found', `there is no ${part} ${name}`);
}

/**
 * Lets only names through, whatever is to be done: a path with anything else in their place is another one (legacy-peer,
 * HTTP conventions).
 *
 * @throws MonError as `pathName` does
 */
export function refuseOtherPath(request: FastifyRequest): void {
  for (const part of Object.keys(request.params as object)) if (isPart(part)) pathName(request, part);
}

function isPart(part: string): part is Part {
  return Object.hasOwn(SCHEMAS, part);
}
