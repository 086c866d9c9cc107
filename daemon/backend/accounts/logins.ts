import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import {
  loginPollSchema,
  type DeviceAuthorization,
  type LoginMethods,
  type LoginPoll,
} from '../../../shared/schemas/oidc.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { loggedPath } from '../access/logged-path.ts';
import type { Issuer } from '../access/oidc/issuer.ts';
import type { Sessions } from '../access/sessions.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import type { MonHandlers } from '../http/route.ts';

const validatePoll = schemaValidator(loginPollSchema);

interface LoginDependencies {
  readonly authenticator: Pick<Authenticator, 'refuseSlowly'>;
  readonly sessions: Pick<Sessions, 'openLogin'>;
  readonly issuer: () => Issuer | undefined;
}

/**
 * Serves the routes to log in at the identity provider. The backend talks to the provider, so that tokens and secrets
 * of the provider never reach a terminal.
 */
export function loginsOnMon({
  authenticator,
  sessions,
  issuer,
}: LoginDependencies): MonHandlers<'loginMethods' | 'startLogin' | 'pollLogin'> {
  return {
    loginMethods: (): LoginMethods => {
      const settings = issuer()?.settings;
      if (settings === undefined) return { oidc: null };
      return { oidc: { issuer: settings.issuer, client_id: settings['client-id'], scopes: settings.scopes } };
    },
    startLogin: async (): Promise<DeviceAuthorization> => {
      const started = await requiredIssuer().startLogin();
      const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = started;
      return {
        device_code,
        user_code,
        verification_uri,
        ...(verification_uri_complete !== undefined && { verification_uri_complete }),
        expires_in,
        interval,
      };
    },
    pollLogin: async (request): Promise<LoginPoll> => {
      const { device_code: deviceCode } = readBody(request, validatePoll);
      const provider = requiredIssuer();
      const outcome = await provider.pollLogin(deviceCode);
      switch (outcome.kind) {
        case 'pending':
        case 'slow_down':
          return { status: outcome.kind };
        case 'refused':
          // The device code may be a guess, so responses are delayed after many wrong codes, as for wrong passwords.
          await authenticator.refuseSlowly(request.caller).catch(ignoreUnauthenticated);
          throw outcome.error;
        case 'done': {
          const { identity, refreshToken } = outcome;
          const tokens = await sessions.openLogin(identity, refreshToken, sourceOf(request)).catch(async (error) => {
            // Nobody uses the login, so it is revoked. A failure is ignored, because the refusal is the answer.
            await provider.revoke(refreshToken).catch(() => undefined);
            throw error;
          });
          return {
            status: 'done',
            username: identity.username,
            access_token: tokens.accessToken,
            expires_at: Math.floor(tokens.expiresMs / 1000),
            refresh_token: tokens.refreshToken,
          };
        }
      }
    },
  };

  function requiredIssuer(): Issuer {
    const own = issuer();
    if (own !== undefined) return own;
    throw new MonError(
      'not_found',
      'this backend has no single sign-on: use a password or an API key, or set oidc in its configuration',
    );
  }
}

function sourceOf({ caller, method, url }: FastifyRequest): { readonly from: string; readonly how: string } {
  return { from: caller, how: `${method} ${loggedPath(url)}` };
}

function ignoreUnauthenticated(error: unknown): void {
  if (!(error instanceof MonError && error.code === 'unauthenticated')) throw error;
}
