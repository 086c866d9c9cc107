import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listContainsTag, type Preconditions } from '../../../shared/domain/v2/etag.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { actorOf } from '../access/actor.ts';
import { parseBody } from './json-body.ts';
import type { Handler } from './route.ts';

const MERGE_PATCH = 'application/merge-patch+json';

/**
 * The secret key of entity tags. A new key is generated at each start, so after a restart clients must read objects
 * again.
 */
const TAG_KEY = randomBytes(32);

/**
 * Returns the entity tag of an object in the form of Sensu Go: 16 hexadecimal digits in quotes (clients 6). It is a
 * keyed hash of the whole object, including attributes that are redacted for some callers. Without the key, callers
 * cannot use the tag to test guesses of redacted attributes.
 */
export function etagOf(object: object): string {
  return `"${createHmac('sha256', TAG_KEY).update(JSON.stringify(object)).digest('hex').slice(0, 16)}"`;
}

export function preconditionsOf({ headers }: Pick<FastifyRequest, 'headers'>): Preconditions {
  return { match: headers['if-match'], noneMatch: headers['if-none-match'] };
}

/** @throws MonError `precondition` if the preconditions of a request are not met */
export function refuseUnless(isMet: boolean): void {
  if (!isMet)
    throw new MonError('precondition', 'the object has changed in the meantime: read it again, then repeat the change');
}

/**
 * @returns the JSON merge patch in the body of a request
 * @throws MonError `invalid` if the content type is not that of a JSON merge patch, or the body is not JSON
 */
export function mergePatchOf(request: FastifyRequest): unknown {
  if (contentTypeOf(request) !== MERGE_PATCH) {
    throw new MonError('invalid', `send a patch with the content type ${MERGE_PATCH}`);
  }
  return parseBody(request).value;
}

/**
 * Sends one object with its entity tag. Sends 304 without a body if the request is a GET or HEAD, and the caller
 * already has the current state.
 *
 * @param object the whole object; the tag is computed from it, because conditional changes compare the whole object
 * @param shown the object as the caller is allowed to see it; the whole object by default
 */
export function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  object: object,
  shown: object = object,
): FastifyReply {
  const tag = etagOf(object);
  reply.header('ETag', tag);
  const ifNoneMatch = request.headers['if-none-match'];
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading && ifNoneMatch !== undefined && listContainsTag(ifNoneMatch, tag)) return reply.code(304).send();
  return reply.type('application/json').send(JSON.stringify(shown));
}

/** Returns a handler that makes a change and sends an empty response after the commit. */
export function changeHandler(change: (request: FastifyRequest, actor: Actor) => Promise<void>): Handler {
  return async (request, reply) => {
    await change(request, actorOf(request));
    return reply.send();
  };
}

/**
 * Returns the content type of a request in lower case and without parameters. It is read from the raw headers, because
 * the server clears the parsed header before route handlers run.
 */
function contentTypeOf({ raw }: Pick<FastifyRequest, 'raw'>): string {
  const { rawHeaders } = raw;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? '' : ((rawHeaders[at + 1] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '');
}
