import { z } from 'zod';
import { responseSchema } from './response.ts';

/**
 * Matches the URLs to which tokens may be sent: https, or http to a loopback address. An attacker in the network could
 * read or replace everything that is sent to another http URL.
 */
const SAFE_URL =
  /^(?:https:\/\/[^/?#@\s]+|http:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?)(?:\/[^#\s]*)?$/;

const SAFE_URL_MESSAGE = 'must be an https URL (http is allowed only for a loopback address)';
const URL_LENGTH_MAX = 1000;

const safeUrlSchema = z.string().max(URL_LENGTH_MAX).regex(SAFE_URL, SAFE_URL_MESSAGE);

const claimSchema = z.string().min(1).max(255);

/** The setting `oidc`: the identity provider whose users can log in. */
export const oidcSettingsSchema = z.strictObject({
  issuer: safeUrlSchema
    .regex(/^[^?]*$/, 'must not contain ?')
    .describe('URL of the identity provider, exactly as in the `issuer` of its discovery document.'),
  'client-id': z.string().min(1).max(255).describe('Id with which the backend is registered at the issuer.'),
  'client-secret-file': z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('File with the secret of the client, readable only by its owner. Default: a public client.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/, 'must be a scope of OAuth, without blanks and quotes'))
    .max(50)
    .refine((scopes) => scopes.includes('openid'), 'must contain openid')
    .default(['openid', 'profile', 'offline_access'])
    .describe('Scopes to request. Most issuers send a refresh token only for `offline_access`.'),
  'username-claim': claimSchema.default('preferred_username').describe('Claim with the name of the user.'),
  'groups-claim': claimSchema.default('groups').describe('Claim with the list of groups of the user.'),
  'groups-prefix': z
    .string()
    .max(64)
    .regex(/^[\w.:/-]*$/, 'must be word characters, dots, hyphens, slashes and colons only')
    .default('oidc:')
    .describe('Text before the name of each group, so that no group of the issuer has the name of a built-in group.'),
  'trusted-ca-file': z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('CA certificates (PEM) that verify the certificate of the issuer. Default: those of Node.js.'),
});
export type OidcSettings = z.infer<typeof oidcSettingsSchema>;

/** The parts of a discovery document that the backend reads (OpenID Connect Discovery 1.0, 3). */
export const discoverySchema = z.looseObject({
  issuer: z.string().max(URL_LENGTH_MAX),
  jwks_uri: safeUrlSchema,
  token_endpoint: safeUrlSchema,
  device_authorization_endpoint: safeUrlSchema.optional(),
  userinfo_endpoint: safeUrlSchema.optional(),
  revocation_endpoint: safeUrlSchema.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).max(100).optional(),
});
export type Discovery = z.infer<typeof discoverySchema>;

const tokenSchema = z
  .string()
  .min(1)
  .max(64 * 1024);

/** The response to a device authorization request (RFC 8628, 3.2). */
export const deviceAuthorizationSchema = z.looseObject({
  device_code: z.string().min(1).max(4096),
  user_code: z
    .string()
    .max(255)
    .regex(/^[\x21-\x7e]+$/),
  verification_uri: safeUrlSchema,
  verification_uri_complete: safeUrlSchema.optional(),
  expires_in: z.number().int().positive().max(86_400),
  interval: z.number().int().positive().max(300).default(5),
});
export type DeviceAuthorization = z.infer<typeof deviceAuthorizationSchema>;

/** The response to a token request (OpenID Connect Core 1.0, 3.1.3.3). A refresh possibly returns no ID token. */
export const tokenResponseSchema = z.looseObject({
  access_token: tokenSchema,
  id_token: tokenSchema.optional(),
  refresh_token: tokenSchema.optional(),
});
export type TokenResponse = z.infer<typeof tokenResponseSchema>;

/** An error response of a token endpoint (RFC 6749, 5.2). */
export const tokenErrorSchema = z.looseObject({
  error: z.string().max(255),
  error_description: z.string().max(4096).optional(),
});

/** The response of `GET /api/mon/v1/login`: the way to log in by single sign-on; null if there is none. */
export const loginMethodsResponse = responseSchema(
  z.looseObject({
    oidc: z.looseObject({ issuer: z.string(), client_id: z.string(), scopes: z.array(z.string()) }).nullable(),
  }),
);
export type LoginMethods = z.infer<typeof loginMethodsResponse>;

/** Body of `POST /api/mon/v1/login/token`. */
export const loginPollSchema = z.object({ device_code: z.string().min(1).max(4096) });

/** The tokens of a session, as in the response to `GET /auth`. */
const sessionTokens = { access_token: z.string(), expires_at: z.number(), refresh_token: z.string() };

/** The response to a poll: the login is not confirmed yet, or the tokens of the new session. */
export const loginPollResponse = z.union([
  z.looseObject({ status: z.enum(['pending', 'slow_down']) }),
  z.looseObject({ status: z.literal('done'), username: z.string(), ...sessionTokens }),
]);
export type LoginPoll = z.infer<typeof loginPollResponse>;
