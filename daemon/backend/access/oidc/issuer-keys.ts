import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { CLOCK_SKEW_SECONDS, OIDC_ALGORITHMS } from '../../../../shared/domain/oidc.ts';
import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';

/** Age, in milliseconds, at which the keys are fetched again, so that a withdrawn key is not trusted for longer. */
const KEYS_AGE_MAX_MS = 10 * 60_000;
/** Minimum time, in milliseconds, between two fetches, so that tokens with invented keys cause no flood of requests. */
const FETCH_INTERVAL_MIN_MS = 30_000;

const KEYS_MAX = 100;

interface KeyDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Fetches the key set (JWKS) of the issuer. */
  readonly fetchKeys: () => Promise<unknown>;
}

interface TokenRules {
  readonly issuer: string;
  readonly clientId: string;
}

/** Verifies ID tokens with the cached keys of an issuer. A token with an unknown key causes a new request for them. */
export class IssuerKeys {
  readonly #dependencies: KeyDependencies;
  #keys: { readonly find: ReturnType<typeof createLocalJWKSet>; readonly fetchedMs: number } | undefined;
  #attemptMs = -Infinity;

  constructor(dependencies: KeyDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Verifies signature, issuer, audience and times of an ID token (OpenID Connect Core 1.0, 3.1.3.7).
   *
   * @returns the claims of the token
   * @throws MonError `unauthenticated` if the token is not valid, `unavailable` if the keys cannot be fetched
   */
  async verify(token: string, { issuer, clientId }: TokenRules): Promise<JWTPayload> {
    const claims = await this.#verifyWithRotation(token, { issuer, clientId });
    const { aud, azp } = claims;
    if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId) {
      throw invalidToken('it was issued to another client');
    }
    return claims;
  }

  async #verifyWithRotation(token: string, rules: TokenRules): Promise<JWTPayload> {
    await this.#refreshOldKeys();
    try {
      return await this.#verifyWithKeys(token, rules);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw tokenError(error);
    }
    if (!this.#mayFetch()) throw invalidToken('it is signed with an unknown key');
    await this.#fetch();
    try {
      return await this.#verifyWithKeys(token, rules);
    } catch (error) {
      throw tokenError(error);
    }
  }

  async #verifyWithKeys(token: string, { issuer, clientId }: TokenRules): Promise<JWTPayload> {
    const keys = this.#keys;
    if (keys === undefined) throw new Error('internal error: there are no keys of the issuer');
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms: [...OIDC_ALGORITHMS],
      issuer,
      audience: clientId,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(this.#dependencies.clock.now()),
    });
    return payload;
  }

  /** Fetches the keys if there are none or they are old. If the issuer is away, the old keys are used. */
  async #refreshOldKeys(): Promise<void> {
    const keys = this.#keys;
    if (keys === undefined) return this.#fetch();
    if (this.#dependencies.clock.monotonic() - keys.fetchedMs < KEYS_AGE_MAX_MS || !this.#mayFetch()) return;
    await this.#fetch().catch(() => undefined);
  }

  #mayFetch(): boolean {
    return this.#dependencies.clock.monotonic() - this.#attemptMs >= FETCH_INTERVAL_MIN_MS;
  }

  async #fetch(): Promise<void> {
    this.#attemptMs = this.#dependencies.clock.monotonic();
    const set = await this.#dependencies.fetchKeys();
    const keys = (set as Partial<JSONWebKeySet> | undefined)?.keys;
    if (!Array.isArray(keys) || keys.length > KEYS_MAX) {
      throw new MonError('unavailable', 'the identity provider has no valid keys at its jwks_uri: check the issuer');
    }
    try {
      this.#keys = { find: createLocalJWKSet({ keys }), fetchedMs: this.#attemptMs };
    } catch {
      throw new MonError('unavailable', 'the identity provider has no valid keys at its jwks_uri: check the issuer');
    }
  }
}

/** Converts an error of the JWT library. Its messages name the failed check, and contain no part of the token. */
function tokenError(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return invalidToken('it has expired: compare the clocks');
  return error instanceof errors.JOSEError || error instanceof TypeError ? invalidToken(errorMessage(error)) : error;
}

function invalidToken(problem: string): MonError {
  return new MonError('unauthenticated', `the ID token of the identity provider is not valid: ${problem}`);
}
