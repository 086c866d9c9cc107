import type { FastifyReply, FastifyRequest } from 'fastify';
import { MonError, type ErrorCode } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { refusalOfFramework, RETRY_AFTER_SECONDS } from './errors.ts';
import { loggedPath } from '../access/logged-path.ts';

/** HTTP status and numeric error code of the v2 API for each of our error codes (completion 1.17). */
const RESPONSE_CODES: Readonly<Record<ErrorCode, readonly [status: number, code: number]>> = {
  invalid: [400, 1],
  unauthenticated: [401, 5],
  payment_required: [402, 6],
  forbidden: [403, 4],
  not_found: [404, 2],
  method_not_allowed: [405, 1],
  conflict: [409, 3],
  precondition: [412, 7],
  threshold: [400, 9],
  too_large: [413, 1],
  no_memory: [507, 0],
  unavailable: [503, 0],
  internal: [500, 0],
};

/**
 * Matches an `Authorization` header that Sensu Go regards as credentials. The error text for wrong credentials depends
 * on the match (clients 6).
 */
const CREDENTIALS_HEADER = /^(?:Bearer|Key) +\S/;

/**
 * Sends an error as `{"message": "...", "code": n}`. An internal error is logged, and its details are not sent to the
 * caller.
 */
export function sendV2Error(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  if (error instanceof MonError && error.code !== 'internal') {
    const [status, code] = RESPONSE_CODES[error.code];
    if (error.code === 'unauthenticated') reply.header('WWW-Authenticate', 'Basic realm="Restricted Area"');
    if (error.code === 'unavailable') reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
    if (error.code === 'unauthenticated') return reply.code(status).send(refusedCredentials(request, code));
    return reply.code(status).send({ message: error.message, code });
  }
  const refused = refusalOfFramework(error, request);
  if (refused !== undefined) return reply.code(refused.status).send({ message: refused.message, code: 1 });
  log.error(
    { err: error, method: request.method, path: loggedPath(request.url), request_id: request.id },
    'request failed',
  );
  return reply.code(500).send({ message: 'internal error: see the log of the backend', code: 0 });
}

/**
 * Returns the body of the response to rejected credentials. As in Sensu Go, its field names begin with a capital
 * letter; those of all other errors do not.
 */
function refusedCredentials({ headers }: FastifyRequest, code: number): { Message: string; Code: number } {
  const isShown = CREDENTIALS_HEADER.test(headers.authorization ?? '');
  return { Message: isShown ? 'invalid credentials' : 'bad credentials', Code: code };
}

/**
 * Returns the error for an object that does not exist, with the text of Sensu Go; clients compare the text (clients 6).
 */
export function doesNotExist(): MonError {
  return new MonError('not_found', 'not found');
}

export function alreadyExists(): MonError {
  return new MonError('conflict', 'resource already exists');
}

/** The error text of Sensu Go for a request that tests credentials, if the credentials are rejected. */
export const REFUSED_TEXT = 'Request unauthorized\n';

/** Sends an error as `sendV2Error` does, except for wrong credentials, which get the plain text `REFUSED_TEXT`. */
export function sendAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  return isUnauthenticated(error) ? refuseLogIn(reply, error) : sendV2Error(error, request, reply, log);
}

/**
 * Rejects a log-in with an error in plain text, because `sensuctl` prints the response. Other errors are thrown again.
 */
export function refuseLogIn(reply: FastifyReply, error: unknown, text = REFUSED_TEXT): FastifyReply {
  if (!isUnauthenticated(error)) throw error;
  reply.code(401).header('WWW-Authenticate', 'Basic realm="Restricted Area"').type('text/plain');
  return reply.send(text);
}

export function isUnauthenticated(error: unknown): boolean {
  return error instanceof MonError && error.code === 'unauthenticated';
}
