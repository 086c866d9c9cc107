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

/** The allowed values of path parts. A client may be named after a token that was never substituted. */
const SCHEMAS = {
  client: storedClientNameSchema,
  check: objectNameSchema,
  subscription: subscriptionSchema,
  aggregate: aggregateNameSchema,
  severity: nameSchema,
  user: usernameSchema,
  key: nameSchema,
  /** Any name that a configuration allows. */
  handler: z.string().min(1).max(512),
  id: z
    .string()
    .max(512)
    .regex(/^[\w.*:-]+$/),
};

type Part = keyof typeof SCHEMAS;

/**
 * Returns a named part of the path, decoded once (completion 1.1).
 *
 * @throws MonError `not_found` if no object can have this name, `invalid` if it must be written with an escape
 */
export function pathName(request: FastifyRequest, part: Part): string {
  const name = (request.params as Readonly<Record<string, string>>)[part] ?? '';
  if (SCHEMAS[part].safeParse(name).success) return name;
  // The peer matches before it decodes, so an invalid name is an unknown path to it: recorded as 404. If an escape made
  // the name invalid, the decision is to report that.
  const isEscaped = request.url.split('?', 1)[0]?.includes('%') === true;
  throw isEscaped
    ? new MonError('invalid', `"${name}" in the path is not a valid ${part} name`)
    : new MonError('not_found', `there is no ${part} ${name}`);
}

/**
 * Accepts only valid names, whatever the method: a path with another text in their place is a different path
 * (legacy-peer, HTTP conventions).
 *
 * @throws MonError as `pathName` does
 */
export function refuseOtherPath(request: FastifyRequest): void {
  for (const part of Object.keys(request.params as object)) if (isPart(part)) pathName(request, part);
}

function isPart(part: string): part is Part {
  return Object.hasOwn(SCHEMAS, part);
}
