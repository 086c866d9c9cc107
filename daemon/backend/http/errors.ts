import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_STATUS, type ErrorResponse } from '../../../shared/api/errors.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { formatBytes } from './limits.ts';
import { loggedPath } from '../access/logged-path.ts';

export const RETRY_AFTER_SECONDS = 1;

export function errorBody({ message: error, code }: Pick<MonError, 'message' | 'code'>): ErrorResponse {
  return { error, code };
}

/** The fields from which the body of an error response is built. */
type ErrorFields = Pick<MonError, 'message' | 'code'>;

/** Sends an error as `{"error": "...", "code": "..."}`. */
export const sendError = errorSender(errorBody);

/** Sends only the message of an error, as a JSON string, because clients of Alertmanager print the body. */
export const sendAlertmanagerError: typeof sendError = (error, request, reply, log) =>
  sendSentence(error, request, reply.type('application/json'), log);

const sendSentence = errorSender(({ message }) => JSON.stringify(message));

/**
 * Returns a function that sends error responses. An internal error is logged, and its details are not sent to the
 * caller.
 */
function errorSender(bodyOf: (failure: ErrorFields) => unknown) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply => {
    if (error instanceof MonError && error.code !== 'internal') {
      if (error.code === 'unauthenticated') reply.header('WWW-Authenticate', 'Basic realm="Restricted Area"');
      if (error.code === 'unavailable') reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
      return reply.code(HTTP_STATUS[error.code]).send(bodyOf(error));
    }
    const refused = refusalOfFramework(error, request);
    if (refused !== undefined) return reply.code(refused.status).send(bodyOf(refused));
    log.error(
      { err: error, method: request.method, path: loggedPath(request.url), request_id: request.id },
      'request failed',
    );
    return reply.code(500).send(bodyOf({ message: 'internal error: see the log of the backend', code: 'internal' }));
  };
}

interface RequestRefusal extends Pick<MonError, 'message' | 'code'> {
  readonly status: number;
}

/**
 * Translates an error that the HTTP framework itself reports, such as a body that is too long or a path that cannot be
 * decoded. Returns undefined for an error that the caller did not cause.
 */
export function refusalOfFramework(error: unknown, request: FastifyRequest): RequestRefusal | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return undefined;
  const { statusCode: status, code: reason } = error;
  if (typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  const code = status === 413 || status === 414 ? 'too_large' : 'invalid';
  switch (reason) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status,
        code,
        message: `the body is larger than ${formatBytes(request.routeOptions.bodyLimit)}: send less`,
      };
    case 'FST_ERR_BAD_URL':
      return { status, code, message: 'the path contains an invalid percent escape: write % as %25' };
    default:
      return { status, code, message: error.message };
  }
}

/**
 * Answers malformed HTTP with an error in plain text, and closes the connection. The HTTP framework cannot respond,
 * because there is no request yet.
 */
export function refuseMalformed(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (socket.writable) {
    const [status, text] = malformedResponse(error.code);
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${String(text.length)}\r\n` +
        `Connection: close\r\n\r\n${text}`,
    );
  }
  socket.destroy();
}

function malformedResponse(code: string | undefined): [status: string, text: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', 'the header is too large: send at most 16 KiB'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'the request took too long to arrive'];
    default:
      return ['400 Bad Request', 'this is not an HTTP request'];
  }
}
