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

/**
 * Schemas of the named parts of URL paths, such as `:client`. The name of a stored client can contain a token such as
 * `:::name:::` that was never substituted.
 */
const NAME_SCHEMAS = {
  client: storedClientNameSchema,
  check: objectNameSchema,
  subscription: subscriptionSchema,
  aggregate: aggregateNameSchema,
  schedule: nameSchema,
  severity: nameSchema,
  user: usernameSchema,
  key: nameSchema,
  /** Any handler name that a configuration allows. */
  handler: z.string().min(1).max(512),
  preset: nameSchema,
  token: nameSchema,
  id: z
    .string()
    .max(512)
    .regex(/^[\w.*:-]+$/),
};

type PathPart = keyof typeof NAME_SCHEMAS;

/**
 * Returns the value of a named part in the path of a request, such as `:client`, decoded once (completion 1.1).
 *
 * @throws MonError if no object can have this name: `invalid` if the path contains a percent escape, otherwise
 *   `not_found`
 */
export function pathName(request: FastifyRequest, part: PathPart): string {
  const name = (request.params as Readonly<Record<string, string>>)[part] ?? '';
  if (NAME_SCHEMAS[part].safeParse(name).success) return name;
  // Sensu matches a path before it decodes it, so it answers 404 for a path with an invalid name (recorded). If a
  // percent escape is in the path, the error names the invalid name instead.
  const isEscaped = request.url.split('?', 1)[0]?.includes('%') === true;
  throw isEscaped
    ? new MonError('invalid', `"${name}" in the path is not a valid ${part} name`)
    : new MonError('not_found', `there is no ${part} ${name}`);
}

/**
 * Rejects a path with an invalid name, even if the path does not support the method of the request. In Sensu such a
 * path is unknown (legacy-peer, HTTP conventions).
 *
 * @throws MonError as `pathName` does
 */
export function refuseOtherPath(request: FastifyRequest): void {
  for (const part of Object.keys(request.params as object)) if (isPathPart(part)) pathName(request, part);
}

function isPathPart(part: string): part is PathPart {
  return Object.hasOwn(NAME_SCHEMAS, part);
}
