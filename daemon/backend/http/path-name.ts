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

/** Schemas of the named parts of paths. The name of a stored client may contain a token that was never substituted. */
const SCHEMAS = {
  client: storedClientNameSchema,
  check: objectNameSchema,
  subscription: subscriptionSchema,
  aggregate: aggregateNameSchema,
  severity: nameSchema,
  user: usernameSchema,
  key: nameSchema,
  /** Any handler name that a configuration allows. */
  handler: z.string().min(1).max(512),
  id: z
    .string()
    .max(512)
    .regex(/^[\w.*:-]+$/),
};

type Part = keyof typeof SCHEMAS;

/**
 * Returns the value of a named part in the path of a request, decoded once (completion 1.1).
 *
 * @throws MonError if no object can have this name: `invalid` if the path contains a percent escape, otherwise
 *   `not_found`
 */
export function pathName(request: FastifyRequest, part: Part): string {
  const name = (request.params as Readonly<Record<string, string>>)[part] ?? '';
  if (SCHEMAS[part].safeParse(name).success) return name;
  // Sensu matches a path before it decodes it, so a path with an invalid name is unknown: recorded as 404. If an escape
  // made the name invalid, the error says so instead.
  const isEscaped = request.url.split('?', 1)[0]?.includes('%') === true;
  throw isEscaped
    ? new MonError('invalid', `"${name}" in the path is not a valid ${part} name`)
    : new MonError('not_found', `there is no ${part} ${name}`);
}

/**
 * Rejects a path with an invalid name, even if the path does not support the method: such a path is unknown in Sensu
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
