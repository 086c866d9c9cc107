import { readFile, stat } from 'node:fs/promises';
import type { z } from 'zod';
import {
  identityOfClaims,
  needsUserinfo,
  type IssuerAnswer,
  type OidcAccount,
  type OidcIdentity,
} from '../../../../shared/domain/oidc.ts';
import { errorMessage, MonError } from '../../../../shared/errors.ts';
import {
  deviceAuthorizationSchema,
  discoverySchema,
  tokenErrorSchema,
  tokenResponseSchema,
  type DeviceAuthorization,
  type Discovery,
  type OidcSettings,
  type TokenResponse,
} from '../../../../shared/schemas/oidc.ts';
import { problemsOf } from '../../../../shared/schemas/problems.ts';
import { readAuthorities } from '../../../../shared/tls/authorities.ts';
import type { Clock } from '../../ports.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { issuerProblem, requestIssuer } from './issuer-request.ts';

/** Age, in milliseconds, at which the discovery document is fetched again. */
const DISCOVERY_AGE_MAX_MS = 3_600_000;

/** Maximum number of concurrent requests to the issuer. Callers without credentials can cause requests. */
const REQUESTS_MAX = 20;

const SECRET_LENGTH_MAX = 4096;
const OTHER_USERS_MODE_BITS = 0o077;

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The outcome of a poll for a login that the user confirms in a browser. */
export type DevicePoll =
  | { readonly kind: 'pending' | 'slow_down' }
  | { readonly kind: 'refused'; readonly error: MonError }
  | { readonly kind: 'done'; readonly identity: OidcIdentity; readonly refreshToken: string };

type TokenOutcome =
  | { readonly kind: 'tokens'; readonly tokens: TokenResponse }
  | { readonly kind: 'error'; readonly error: string; readonly description: string };

interface IssuerDependencies {
  readonly settings: OidcSettings;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** The client of one identity provider: device authorization, refresh, revocation, and verification of its tokens. */
export class Issuer {
  readonly settings: OidcSettings;
  readonly #clock: IssuerDependencies['clock'];
  readonly #keys: IssuerKeys;
  #discovery: { readonly document: Discovery; readonly fetchedMs: number } | undefined;
  #requestCount = 0;

  constructor({ settings, clock }: IssuerDependencies) {
    this.settings = settings;
    this.#clock = clock;
    this.#keys = new IssuerKeys({ clock, fetchKeys: () => this.#fetchKeys() });
  }

  /**
   * Begins a login that the user confirms in a browser (RFC 8628).
   *
   * @throws MonError `unavailable` if the issuer does not answer or does not support this
   */
  async startLogin(): Promise<DeviceAuthorization> {
    const { device_authorization_endpoint: url } = await this.#discover();
    if (url === undefined) {
      throw new MonError(
        'unavailable',
        `the identity provider ${this.settings.issuer} does not support device authorization (RFC 8628): enable it there`,
      );
    }
    const { status, body } = await this.#send(url, { scope: this.settings.scopes.join(' ') });
    if (status !== 200) throw issuerProblem(url, errorText(status, body));
    return parse(url, deviceAuthorizationSchema, body);
  }

  /** @throws MonError `unavailable` if the issuer does not answer, `unauthenticated` if it sends an invalid token */
  async pollLogin(deviceCode: string): Promise<DevicePoll> {
    const outcome = await this.#requestTokens({ grant_type: DEVICE_GRANT, device_code: deviceCode });
    if (outcome.kind === 'error') return pollError(outcome);
    const { id_token: idToken, refresh_token: refreshToken } = outcome.tokens;
    if (refreshToken === undefined) {
      return {
        kind: 'refused',
        error: new MonError(
          'conflict',
          'the identity provider sent no refresh token: allow refresh tokens for this client, and request the scope offline_access',
        ),
      };
    }
    if (idToken === undefined) throw new MonError('unauthenticated', 'the identity provider sent no ID token');
    return { kind: 'done', identity: await this.#identityOf(outcome.tokens), refreshToken };
  }

  /** Asks the issuer whether a login is still valid, and for the current groups. It never throws. */
  async confirm(account: OidcAccount, refreshToken: string): Promise<IssuerAnswer> {
    if (account.issuer !== this.settings.issuer) {
      return { kind: 'ended', reason: 'the setting oidc names another issuer' };
    }
    let nextRefreshToken = refreshToken;
    try {
      const outcome = await this.#requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });
      if (outcome.kind === 'error') {
        const reason = `the identity provider answered ${outcome.error}`;
        return outcome.error === 'invalid_grant' ? { kind: 'ended', reason } : { kind: 'away', reason, refreshToken };
      }
      nextRefreshToken = outcome.tokens.refresh_token ?? refreshToken;
      const identity = await this.#identityOf(outcome.tokens, account.subject);
      return { kind: 'confirmed', identity, refreshToken: nextRefreshToken };
    } catch (error) {
      const reason = errorMessage(error);
      if (error instanceof MonError && error.code === 'unauthenticated') return { kind: 'ended', reason };
      return { kind: 'away', reason, refreshToken: nextRefreshToken };
    }
  }

  /** Revokes a refresh token (RFC 7009), if the issuer supports it. */
  async revoke(refreshToken: string): Promise<void> {
    const { revocation_endpoint: url } = await this.#discover();
    if (url === undefined) return;
    const { status, body } = await this.#send(url, { token: refreshToken, token_type_hint: 'refresh_token' });
    if (status !== 200) throw issuerProblem(url, errorText(status, body));
  }

  /**
   * Returns the user of verified tokens.
   *
   * @param subject the subject that a response without an ID token must have
   * @throws MonError `unauthenticated` if a token is invalid, or the claims describe no user
   */
  async #identityOf(
    { id_token: idToken, access_token: accessToken }: TokenResponse,
    subject?: string,
  ): Promise<OidcIdentity> {
    const { issuer, 'client-id': clientId } = this.settings;
    const ofToken = idToken === undefined ? { sub: subject } : await this.#keys.verify(idToken, { issuer, clientId });
    const claims = needsUserinfo(this.settings, ofToken)
      ? { ...(await this.#userinfo(accessToken, ofToken.sub)), ...ofToken }
      : ofToken;
    const verdict = identityOfClaims(this.settings, claims);
    if ('refused' in verdict) throw new MonError('unauthenticated', verdict.refused);
    return verdict.value;
  }

  /** Returns the claims of the userinfo endpoint; an empty object if there is none. */
  async #userinfo(accessToken: string, subject: string | undefined): Promise<Readonly<Record<string, unknown>>> {
    const { userinfo_endpoint: url } = await this.#discover();
    if (url === undefined) return {};
    const { status, body } = await this.#limited(() =>
      requestIssuer({ url, headers: { authorization: `Bearer ${accessToken}` }, ca: this.#ca() }),
    );
    if (status !== 200 || typeof body !== 'object' || body === null) {
      throw issuerProblem(url, errorText(status, body));
    }
    // Another subject would mean that the access token belongs to another user (OpenID Connect Core 1.0, 5.3.2).
    if (!('sub' in body) || body.sub !== subject) {
      throw new MonError('unauthenticated', 'the identity provider sent the userinfo of another user');
    }
    return { ...body };
  }

  async #requestTokens(form: Readonly<Record<string, string>>): Promise<TokenOutcome> {
    const { token_endpoint: url } = await this.#discover();
    const { status, body } = await this.#send(url, form);
    if (status === 200) return { kind: 'tokens', tokens: parse(url, tokenResponseSchema, body) };
    const failure = tokenErrorSchema.safeParse(body);
    if (status >= 500 || !failure.success) throw issuerProblem(url, errorText(status, body));
    return { kind: 'error', error: failure.data.error, description: failure.data.error_description ?? '' };
  }

  /** Sends a form with the authentication of the client. */
  async #send(url: string, form: Readonly<Record<string, string>>): ReturnType<typeof requestIssuer> {
    const { 'client-id': clientId, 'client-secret-file': file } = this.settings;
    const secret = file === undefined ? undefined : await readSecret(file);
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = await this.#discover();
    const isBasic = secret !== undefined && methods.includes('client_secret_basic');
    return this.#limited(() =>
      requestIssuer({
        url,
        form: { ...form, client_id: clientId, ...(secret !== undefined && !isBasic && { client_secret: secret }) },
        ...(isBasic && { headers: { authorization: basicAuthorization(clientId, secret) } }),
        ca: this.#ca(),
      }),
    );
  }

  async #discover(): Promise<Discovery> {
    const cached = this.#discovery;
    const nowMs = this.#clock.monotonic();
    if (cached !== undefined && nowMs - cached.fetchedMs < DISCOVERY_AGE_MAX_MS) return cached.document;
    try {
      const document = await this.#fetchDiscovery();
      this.#discovery = { document, fetchedMs: nowMs };
      return document;
    } catch (error) {
      if (cached === undefined) throw error;
      return cached.document;
    }
  }

  async #fetchDiscovery(): Promise<Discovery> {
    const { issuer } = this.settings;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { status, body } = await this.#limited(() => requestIssuer({ url, ca: this.#ca() }));
    if (status !== 200) throw issuerProblem(url, errorText(status, body));
    const document = parse(url, discoverySchema, body);
    // Otherwise another server could pass off its own endpoints as those of the issuer.
    if (document.issuer !== issuer) {
      throw issuerProblem(
        url,
        `its discovery document names the issuer ${document.issuer.slice(0, 200)}: set oidc.issuer to the right URL`,
      );
    }
    return document;
  }

  async #fetchKeys(): Promise<unknown> {
    const { jwks_uri: url } = await this.#discover();
    const { status, body } = await this.#limited(() => requestIssuer({ url, ca: this.#ca() }));
    if (status !== 200) throw issuerProblem(url, errorText(status, body));
    return body;
  }

  #ca(): string | undefined {
    const file = this.settings['trusted-ca-file'];
    return file === undefined ? undefined : readAuthorities(file, 'oidc.trusted-ca-file').pem;
  }

  async #limited<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#requestCount >= REQUESTS_MAX) {
      throw new MonError('unavailable', 'too many logins are in progress: try again in a few seconds');
    }
    this.#requestCount++;
    try {
      return await send();
    } finally {
      this.#requestCount--;
    }
  }
}

function pollError({ error, description }: Extract<TokenOutcome, { kind: 'error' }>): DevicePoll {
  switch (error) {
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down':
      return { kind: 'slow_down' };
    case 'access_denied':
      return { kind: 'refused', error: new MonError('forbidden', 'the login was denied in the browser: log in again') };
    case 'expired_token':
    case 'invalid_grant':
      return {
        kind: 'refused',
        error: new MonError('unauthenticated', 'the login was not confirmed in time: log in again'),
      };
    default:
      return {
        kind: 'refused',
        error: new MonError(
          'conflict',
          `the identity provider rejected the login: ${[error, description.slice(0, 200)].filter(Boolean).join(': ')}`,
        ),
      };
  }
}

function errorText(status: number, body: unknown): string {
  const { error, error_description: description } = tokenErrorSchema.safeParse(body).data ?? {};
  return [`HTTP ${String(status)}`, error, description?.slice(0, 200)].filter(Boolean).join(': ');
}

function parse<Value>(url: string, schema: z.ZodType<Value>, body: unknown): Value {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw issuerProblem(url, `its response is not valid: ${problemsOf(read.error).slice(0, 500)}`);
}

/** Both parts are percent-encoded, as RFC 6749, 2.3.1 requires. */
function basicAuthorization(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

async function readSecret(file: string): Promise<string> {
  try {
    const { mode, uid } = await stat(file);
    if (uid === process.getuid?.() && (mode & OTHER_USERS_MODE_BITS) !== 0) {
      throw new Error('other users of this machine can read it: chmod 600 it');
    }
    const secret = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
    if (secret === '' || secret.length > SECRET_LENGTH_MAX) throw new Error('it is empty or too long');
    return secret;
  } catch (error) {
    throw new MonError('unavailable', `oidc.client-secret-file ${file} cannot be used: ${errorMessage(error)}`);
  }
}
