import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { refreshTokenSchema, type V2Tokens } from '../../../shared/schemas/v2/tokens.ts';
import type { Log } from '../../log/log.ts';
import type { Tokens } from './sessions.ts';
import { sendV2Error } from '../http/v2-errors.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';

const validateRefresh = validator(refreshTokenSchema);

/** In the words of the peer. */
const WRONG_PASSWORD = 'Unauthorized\n';
const REFUSED = 'Request unauthorized\n';

/** Where credentials are tried out. */
export const AUTH_TEST = '/auth/test';

const BASIC = /^basic /i;
const BEARER = /^bearer +(?<token>[\w.~+/-]+=*) *$/i;

/** Logging in for tokens, for clients that do not keep a password (clients 6). */
export function authRoutes(app: FastifyInstance, { authenticator, sessions }: ApiParts): void {
  routes(app, '/auth', {
    GET: needs('public', async (request, reply) => {
      try {
        const { name } = await authenticator.logIn(request.headers, request.caller);
        return await reply.send(shown(await sessions.open(name)));
      } catch (error) {
        return refuse(reply, error, BASIC.test(request.headers.authorization ?? '') ? WRONG_PASSWORD : REFUSED);
      }
    }),
  });

  routes(app, AUTH_TEST, { GET: needs('authenticated', (_request, reply) => reply.send()) });

  routes(app, '/auth/token', {
    POST: needs('public', (request, reply) =>
      withTokens(request, reply, async (access, refresh) => shown(await sessions.refresh(access, refresh))),
    ),
  });

  routes(app, '/auth/logout', {
    POST: needs('public', (request, reply) =>
      withTokens(request, reply, (access, refresh) => sessions.close(access, refresh)),
    ),
  });

  async function withTokens(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (access: string, refresh: string) => Promise<V2Tokens | void>,
  ): Promise<FastifyReply> {
    const access = BEARER.exec(request.headers.authorization ?? '')?.groups?.['token'];
    if (access === undefined) return reply.code(401).type('text/plain').send(REFUSED);
    const { refresh_token: refresh } = readBody(request, validateRefresh);
    try {
      return await reply.send(await then(access, refresh ?? ''));
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      // Guesses of tokens are slowed as those of passwords are.
      return await authenticator.refuseSlowly(request.caller).catch((slowed: unknown) => refuse(reply, slowed));
    }
  }
}

/** As `sendV2Error`, in the words of the peer for credentials that are tried out. */
export function sendAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  return isUnauthenticated(error) ? refuse(reply, error) : sendV2Error(error, request, reply, log);
}

function shown({ accessToken, refreshToken, expiresMs }: Tokens): V2Tokens {
  return { access_token: accessToken, expires_at: Math.floor(expiresMs / 1000), refresh_token: refreshToken };
}

/** As plain text, which the peer's own client prints. */
function refuse(reply: FastifyReply, error: unknown, text = REFUSED): FastifyReply {
  if (!isUnauthenticated(error)) throw error;
  reply.code(401).header('WWW-Authenticate', 'Basic realm="Restricted Area"').type('text/plain');
  return reply.send(text);
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof MonError && error.code === 'unauthenticated';
}
