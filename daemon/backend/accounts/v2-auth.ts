import type { FastifyReply, FastifyRequest } from 'fastify';
import { refreshTokenSchema, type V2Tokens } from '../../../shared/schemas/v2/tokens.ts';
import type { Sessions, Tokens } from '../access/sessions.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { isUnauthenticated, refuseLogIn, REFUSED_TEXT } from '../http/v2-errors.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';

const validateRefresh = schemaValidator(refreshTokenSchema);

/** The error text of Sensu Go for a wrong password. */
const WRONG_PASSWORD = 'Unauthorized\n';

const BASIC_SCHEME = /^basic /i;
const BEARER_HEADER = /^bearer +(?<token>[\w.~+/-]+=*) *$/i;

interface LogInDependencies {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
}

/**
 * Serves the routes to log in for tokens, to refresh them and to log out, for clients that do not store a password
 * (clients 6).
 */
export function authOnV2({ authenticator, sessions }: LogInDependencies): V2Handlers<'auth'> {
  return {
    logIn: async (request, reply) => {
      try {
        const principal = await authenticator.logIn(request.headers, request.caller);
        return await reply.send(toV2Tokens(await sessions.open(principal)));
      } catch (error) {
        return refuseLogIn(
          reply,
          error,
          BASIC_SCHEME.test(request.headers.authorization ?? '') ? WRONG_PASSWORD : REFUSED_TEXT,
        );
      }
    },
    test: (_request, reply) => reply.send(),
    refresh: (request, reply) =>
      withTokens(request, reply, async (access, refresh) => toV2Tokens(await sessions.refresh(access, refresh))),
    logOut: (request, reply) => withTokens(request, reply, (access, refresh) => sessions.close(access, refresh)),
  };

  async function withTokens(
    request: FastifyRequest,
    reply: FastifyReply,
    then: (access: string, refresh: string) => Promise<V2Tokens | void>,
  ): Promise<FastifyReply> {
    const access = BEARER_HEADER.exec(request.headers.authorization ?? '')?.groups?.['token'];
    if (access === undefined) return reply.code(401).type('text/plain').send(REFUSED_TEXT);
    const { refresh_token: refresh } = readBody(request, validateRefresh);
    try {
      return await reply.send(await then(access, refresh ?? ''));
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      // Responses to invalid tokens are delayed like responses to wrong passwords, because the tokens may be guesses.
      return await authenticator.refuseSlowly(request.caller).catch((slowed: unknown) => refuseLogIn(reply, slowed));
    }
  }
}

function toV2Tokens({ accessToken, refreshToken, expiresMs }: Tokens): V2Tokens {
  return { access_token: accessToken, expires_at: Math.floor(expiresMs / 1000), refresh_token: refreshToken };
}
