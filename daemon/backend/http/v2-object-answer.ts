import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { names, type Preconditions } from '../../../shared/domain/v2/etag.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { actorOf } from '../access/actor.ts';
import { parseBody } from './json-body.ts';
import type { Handler } from './route.ts';

const MERGE_PATCH = 'application/merge-patch+json';

/** Another one after each restart, when what was read before has to be read again. */
const TAG_KEY = randomBytes(32);

/**
 * Names the state of an object, as the peer writes it: 16 hexadecimal digits in quotes (clients 6). It is of the
 * whole object, with what is redacted for some: without the key nobody can try out guesses of a secret on it.
 */
export function etagOf(object: object): string {
  return `"${createHmac('sha256', TAG_KEY).update(JSON.stringify(object)).digest('hex').slice(0, 16)}"`;
}

export function preconditionsOf({ headers }: Pick<FastifyRequest, 'headers'>): Preconditions {
  return { match: headers['if-match'], noneMatch: headers['if-none-match'] };
}

/** @throws MonError `precondition` */
export function refuseUnless(isMet: boolean): void {
  if (!isMet)
    throw new MonError('precondition', 'the object has changed in the meantime: read it again, then repeat the change');
}

/** @throws MonError `invalid` when the body does not say that it is one, or is no JSON */
export function mergePatchOf(request: FastifyRequest): unknown {
  if (contentTypeOf(request) !== MERGE_PATCH) {
    throw new MonError('invalid', `send a patch with the content type ${MERGE_PATCH}`);
  }
  return parseBody(request).value;
}

/**
 * Answers one object with its tag; 304 to a caller that has it as it is.
 *
 * @param shown what the caller gets to see of it; default: everything. The tag is that of the whole, as changes ask for it
 */
export function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  object: object,
  shown: object = object,
): FastifyReply {
  const tag = etagOf(object);
  reply.header('ETag', tag);
  const known = request.headers['if-none-match'];
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading && known !== undefined && names(known, tag)) return reply.code(304).send();
  return reply.type('application/json').send(JSON.stringify(shown));
}

/** Answers a change with nothing, once it is committed. */
export function changing(change: (request: FastifyRequest, actor: Actor) => Promise<void>): Handler {
  return async (request, reply) => {
    await change(request, actorOf(request));
    return reply.send();
  };
}

/** As it was sent, in lower case and without its parameters: the server forgets it, because nearly nothing depends on it. */
function contentTypeOf({ raw }: Pick<FastifyRequest, 'raw'>): string {
  const { rawHeaders } = raw;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? '' : ((rawHeaders[at + 1] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '');
}
