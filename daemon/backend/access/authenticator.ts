import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { isForwarded } from '../../../shared/domain/caller-address.ts';
import {
  certificateNamespaces,
  isStillValidIn,
  type CertificateOrigin,
} from '../../../shared/domain/certificate-namespaces.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CertificateRule } from '../../../shared/schemas/certificate-rule.ts';
import type { ApiSettings, ProgramSettings } from '../../../shared/schemas/settings.ts';
import type { CredentialVersions } from './credential-versions.ts';
import type { Log } from '../../log/log.ts';
import type { ApiKeys } from './api-keys.ts';
import { matchesSecret, keyVersion } from './key-secret.ts';
import type { Sessions } from './sessions.ts';
import type { Clock } from '../ports.ts';
import type { ApiKey, Session } from '../model/access/credentials.ts';
import { grantsOfUser, scopesOfKey, scopesOfUser } from './scopes-of-user.ts';
import type { Registry } from '../model/registry/registry.ts';
import { ANONYMOUS_PRINCIPAL, LOCAL_ADMINISTRATOR, UNAUTHENTICATED_PRINCIPAL, type Principal } from './principal.ts';
import { FailedLogins, FAILURES_BEFORE_DELAY } from './failed-logins.ts';
import { isLoopback, refuseForeignHost, refuseForwarded } from './host.ts';
import type { LocalToken } from './local-token.ts';
import { DECOY_HASH, type NameAndPassword, type Passwords } from './password.ts';
import type { Voucher } from './voucher.ts';

/**
 * Authenticates a caller by the headers of a request. The result is a promise only for tokens, wrong credentials, and
 * passwords that were not verified before.
 *
 * @param address network address of the caller
 * @throws MonError `unauthenticated`, `forbidden` or `unavailable`; a returned promise rejects with the same errors
 */
export type Authorize = (headers: IncomingHttpHeaders, address: string) => Promise<Principal> | Principal;

interface AuthenticatorDependencies {
  /** The current settings. Credentials that a reload changes are valid at once. */
  readonly config: {
    readonly api: Pick<ApiSettings, 'user' | 'password'>;
    readonly program: Pick<ProgramSettings, 'oidc'>;
  };
  /** The address on which the backend listens, and the host name of this machine. */
  readonly endpoint: { readonly address: string; readonly hostname: string };
  readonly registry: Pick<Registry, 'credentials'>;
  readonly passwords: Passwords;
  readonly apiKeys: Pick<ApiKeys, 'noteUse'>;
  readonly sessions: Pick<Sessions, 'findByAccessToken' | 'isUsable'>;
  readonly versions: Pick<CredentialVersions, 'configuredUser' | 'versionOfUser' | 'configuredUserVersion'>;
  /**
   * The authorities that issue the certificates of agents. Each change of the authorities changes `credentialsVersion`.
   */
  readonly certificates: { readonly authorities: readonly string[]; readonly version: number };
  /** Returns the setting `certificate-namespaces`; called for each check, so that a reload takes effect at once. */
  readonly certificateRules: () => readonly CertificateRule[];
  /** The token with which programs on this machine authenticate as administrators. */
  readonly localToken: LocalToken;
  readonly clock: Clock;
  readonly log: Log;
}

const LOCAL_TOKEN_HEADER = /^bearer +(?<token>ml_[\w-]+) *$/i;
const CREDENTIALS_HEADER = /^(?<scheme>basic|key|bearer) +(?<value>[\w+/=.~-]+) *$/i;

/**
 * Authenticates callers over HTTP and WebSocket by an API key, an access token, user and password, or the token for
 * programs on this machine. While no user and no key exists, neither configured nor stored, every caller is admitted. A
 * backend that listens on loopback then still rejects requests from web pages of other sites and requests through a
 * proxy.
 */
export class Authenticator {
  readonly #dependencies: AuthenticatorDependencies;
  readonly #failed: FailedLogins;
  #configured: AuthenticatorDependencies['config']['api'];
  /** The setting `certificate-namespaces` at the last check, to detect a change. */
  #certificateRules: readonly CertificateRule[];
  /** True if an identity provider was set at the last check, to detect a change. */
  #hadOidc: boolean;
  /** Number of detected changes of the configured credentials or of `certificate-namespaces`. */
  #reloads = 0;
  readonly #versionText = new StateText();
  /**
   * The principals of API keys, cached until the version of the credentials changes, because each request sends the key
   * again.
   */
  readonly #principalsOfKeys = new WeakMap<
    ApiKey,
    { readonly version: string; readonly principal: Principal | undefined }
  >();

  constructor(dependencies: AuthenticatorDependencies) {
    this.#dependencies = dependencies;
    this.#failed = new FailedLogins(dependencies.clock);
    this.#configured = dependencies.config.api;
    this.#hadOidc = dependencies.config.program.oidc !== undefined;
    this.#certificateRules = dependencies.certificateRules();
  }

  /** True if callers need no credentials, because no user and no key exists, and no identity provider is set. */
  get needsNoCredentials(): boolean {
    const { config, registry } = this.#dependencies;
    return this.#configuredUser === undefined && config.program.oidc === undefined && registry.credentials.isEmpty;
  }

  /** Returns a version of all credentials: a text that differs after every change that may revoke rights. */
  credentialsVersion(): string {
    this.#noteReload();
    const { registry, certificates } = this.#dependencies;
    const { version, roles } = registry.credentials;
    return this.#versionText.textOf(version, roles.version, this.#reloads, certificates.version);
  }

  readonly authorize: Authorize = (headers, address) => {
    const { endpoint } = this.#dependencies;
    if (this.needsNoCredentials) {
      if (isLoopback(endpoint.address)) {
        refuseForeignHost(headers, endpoint.hostname);
        refuseForwarded(headers);
      }
      return this.principalWithoutCredentials(headers, address);
    }
    if (this.#isLocal(headers, address)) return LOCAL_ADMINISTRATOR;
    return this.authorizeRemote(headers, address);
  };

  /**
   * Authenticates a caller by password, API key or access token, which are valid at every backend that shares the
   * store. It rejects the token for programs on this machine.
   */
  readonly authorizeRemote: Authorize = (headers, address) => {
    const { scheme, value = '' } = CREDENTIALS_HEADER.exec(headers.authorization ?? '')?.groups ?? {};
    switch (scheme?.toLowerCase()) {
      case 'basic':
        return this.#authenticatePassword(value, address);
      case 'key':
        return this.authenticateByKey(value, address);
      case 'bearer':
        return this.#authenticateToken(value, address);
      default:
        throw this.#rejectedCredentialsError();
    }
  };

  /**
   * Returns the principal of a caller while no credentials are required: the local administrator if the request
   * contains the token for programs on this machine, otherwise the anonymous caller.
   */
  principalWithoutCredentials(headers: IncomingHttpHeaders, address: string): Principal {
    return this.#isLocal(headers, address) ? LOCAL_ADMINISTRATOR : ANONYMOUS_PRINCIPAL;
  }

  /**
   * Authenticates a user by name and password in HTTP Basic. It rejects missing and other credentials, even while no
   * user exists.
   *
   * @throws MonError `unauthenticated` if the credentials are missing or wrong, `unavailable` if too many log-ins are
   *   in progress
   */
  async logIn({ authorization }: IncomingHttpHeaders, address: string): Promise<Principal> {
    const { scheme, value = '' } = CREDENTIALS_HEADER.exec(authorization ?? '')?.groups ?? {};
    if (scheme?.toLowerCase() !== 'basic') throw this.#rejectedCredentialsError();
    return this.#authenticatePassword(value, address);
  }

  /**
   * True if the password is correct and its user is enabled. After many wrong passwords an attempt is delayed, like a
   * log-in.
   */
  async isPasswordOf(credentials: NameAndPassword, address: string): Promise<boolean> {
    const isRight = await this.#failed.shareVerification(
      address,
      this.#dependencies.passwords.digestOf(credentials),
      () => this.#verifySlowly(credentials, address),
    );
    if (!isRight) return false;
    // The stored password is compared again, because it may have changed during the verification.
    const stored = this.#storedPassword(credentials.user);
    return stored !== undefined && this.#dependencies.passwords.isVerified(credentials, stored);
  }

  /**
   * Returns the principal of an API key in the configuration of a handler; undefined if the key is not valid. Unlike a
   * caller with a wrong key, nobody is delayed.
   */
  principalOfConfiguredKey(text: string): Principal | undefined {
    return this.#authenticateKey(text);
  }

  authenticateByKey(text: string, address: string): Promise<Principal> | Principal {
    return this.#authenticateKey(text) ?? this.refuseSlowly(address);
  }

  /** Rejects a caller with wrong credentials, after a delay if its address has failed too often. */
  async refuseSlowly(address: string): Promise<never> {
    using login = await this.#failed.begin(address);
    this.#logFailure(login.fail(), address);
    throw this.#rejectedCredentialsError();
  }

  /** Returns the voucher that identifies an authenticated caller to another backend with the same store. */
  voucherOf(principal: Principal): Voucher {
    const { name, via, keyId, sessionId, authority, clientNames, certificateOrigin } = principal;
    const { expiresMs, certificateExpiresMs } = principal;
    const passwordChangedMs = this.#dependencies.registry.credentials.users.get(name)?.passwordChangedMs;
    return {
      name,
      via,
      keyId,
      sessionId,
      authority,
      clientNames,
      certificateOrigin,
      expiresMs: earlierTime(expiresMs, certificateExpiresMs),
      passwordChangedMs,
    };
  }

  /**
   * Returns the version of an API key or a stored password, for another backend to compare; undefined for other
   * credentials.
   */
  sentVersionOf({ name, via, credentialVersion }: Principal): string | undefined {
    const isStored = via === 'key' || (via === 'password' && name !== this.#configuredUser);
    return isStored ? credentialVersion : undefined;
  }

  /**
   * Returns the principal of a caller whom another backend with the same store has authenticated, with the caller's
   * current rights at this backend.
   *
   * @param credentialVersion version of the key or stored password that was used at the other backend; undefined if
   *   other credentials were used, or if the other backend runs an earlier version of the program
   * @throws MonError `unauthenticated` if the caller's credentials are not valid at this backend
   */
  principalOfVoucher(voucher: Voucher, credentialVersion?: string): Principal {
    const principal = this.#authenticateVoucher(voucher, credentialVersion);
    if (principal === undefined) {
      throw new MonError(
        'unauthenticated',
        'the leader rejects these credentials: use other credentials, or give all members the same api and tls settings',
      );
    }
    return principal;
  }

  #authenticateVoucher(
    { passwordChangedMs = 0, ...voucher }: Voucher,
    shownVersion: string | undefined,
  ): Principal | undefined {
    const { name, via, keyId, authority, expiresMs } = voucher;
    if (via === 'open') return this.needsNoCredentials ? ANONYMOUS_PRINCIPAL : undefined;
    if (via === 'nobody') return UNAUTHENTICATED_PRINCIPAL;
    if (via === 'local') return LOCAL_ADMINISTRATOR;
    const goodIn = this.namespacesOf(voucher.certificateOrigin);
    if (via === 'certificate') {
      return this.withCurrentRights({ ...voucher, certificateNamespaces: goodIn, scopes: new Set(['submit']) });
    }
    if (keyId !== undefined) this.#dependencies.apiKeys.noteUse(keyId);
    const changedMs = this.#dependencies.registry.credentials.users.get(name)?.passwordChangedMs ?? 0;
    const isConfigured = name === this.#dependencies.versions.configuredUser;
    if (via === 'password' && shownVersion === undefined && !isConfigured && changedMs > passwordChangedMs)
      return undefined;
    const credentialVersion =
      shownVersion ?? (via === 'password' ? this.#dependencies.versions.versionOfUser(name) : undefined);
    return this.withCurrentRights({
      ...voucher,
      certificateNamespaces: goodIn,
      scopes: new Set(),
      credentialVersion,
      ...(authority !== undefined && { certificateExpiresMs: expiresMs }),
    });
  }

  /**
   * Returns an authenticated principal with its current rights.
   *
   * @returns the principal; undefined if its credentials are no longer valid
   */
  withCurrentRights(principal: Principal): Principal | undefined {
    const { clock, certificates } = this.#dependencies;
    const { authority, clientNames, certificateOrigin, certificateNamespaces: goodIn } = principal;
    const { certificateExpiresMs = Infinity } = principal;
    if (authority !== undefined && !certificates.authorities.includes(authority)) return undefined;
    if (certificateExpiresMs <= clock.now()) return undefined;
    if (!isStillValidIn(goodIn, this.namespacesOf(certificateOrigin))) return undefined;
    const renewed = this.#renewed(principal);
    if (renewed === undefined || clientNames === undefined) return renewed;
    return {
      ...renewed,
      clientNames,
      authority,
      certificateOrigin,
      certificateNamespaces: goodIn,
      certificateExpiresMs: principal.certificateExpiresMs,
    };
  }

  /**
   * Returns the namespaces for which a certificate is valid; undefined if it is valid in all namespaces, or if there is
   * no certificate.
   */
  namespacesOf(origin: CertificateOrigin | undefined): readonly string[] | undefined {
    return origin && certificateNamespaces(this.#dependencies.certificateRules(), origin);
  }

  /**
   * Returns a principal with its current rights, without checking a certificate that was sent in addition to other
   * credentials.
   */
  #renewed(principal: Principal): Principal | undefined {
    const { registry, clock, versions, sessions } = this.#dependencies;
    const { credentials } = registry;
    switch (principal.via) {
      case 'open':
        return this.needsNoCredentials ? principal : undefined;
      case 'nobody':
      case 'local':
        return principal;
      case 'certificate':
        return (principal.expiresMs ?? Infinity) > clock.now() ? principal : undefined;
      case 'key': {
        const key = credentials.apiKeys.get(principal.keyId ?? '');
        // Another key with the same id and another secret may have replaced the key in the meantime.
        const isSame = key !== undefined && (principal.credentialVersion ?? keyVersion(key)) === keyVersion(key);
        return isSame ? this.#principalOfKey(key) : undefined;
      }
      case 'token': {
        const session = credentials.sessions.get(principal.sessionId ?? '');
        return session !== undefined && sessions.isUsable(session) ? this.#principalOfSession(session) : undefined;
      }
      case 'password':
        return principal.credentialVersion === versions.versionOfUser(principal.name)
          ? this.#principalOfUser(principal.name, { via: 'password' })
          : undefined;
    }
  }

  /**
   * Returns a function that checks, whenever it is called, whether a caller may still make its request, and returns the
   * caller with its current rights.
   *
   * @param refuse callback that is called only if any credentials have changed. It gets the caller with its current
   *   rights, and throws to reject the request
   */
  admissionOf(principal: Principal, refuse: (renewed: Principal) => void): () => Principal {
    const version = this.credentialsVersion();
    return () => {
      if (this.credentialsVersion() === version) return principal;
      const renewed = this.withCurrentRights(principal);
      if (renewed === undefined)
        throw new MonError('unauthenticated', 'the credentials are no longer valid: authenticate again');
      refuse(renewed);
      return renewed;
    };
  }

  get #configuredUser(): string | undefined {
    return this.#dependencies.versions.configuredUser;
  }

  /** True if the request contains the token for programs on this machine, and comes from here without a proxy. */
  #isLocal(headers: IncomingHttpHeaders, address: string): boolean {
    const shown = LOCAL_TOKEN_HEADER.exec(headers.authorization ?? '')?.groups?.['token'];
    if (shown === undefined || !isLoopback(address) || isForwarded(headers)) return false;
    return this.#dependencies.localToken.matches(shown);
  }

  #noteReload(): void {
    const { config } = this.#dependencies;
    const { user, password } = this.#configured;
    if (config.api.user !== user || config.api.password !== password) this.#reloads++;
    this.#configured = config.api;
    const hasOidc = config.program.oidc !== undefined;
    if (hasOidc !== this.#hadOidc) this.#reloads++;
    this.#hadOidc = hasOidc;
    const rules = this.#dependencies.certificateRules();
    if (!isDeepStrictEqual(rules, this.#certificateRules)) this.#reloads++;
    this.#certificateRules = rules;
  }

  #authenticateKey(text: string): Principal | undefined {
    const shown = partsOfKey(text);
    const key = shown === undefined ? undefined : this.#dependencies.registry.credentials.apiKeys.get(shown.id);
    if (shown === undefined || key === undefined || !matchesSecret(shown.secret, key.hash)) return undefined;
    const principal = this.#principalOfKey(key);
    if (principal !== undefined) this.#dependencies.apiKeys.noteUse(key.id);
    return principal;
  }

  #principalOfKey(key: ApiKey): Principal | undefined {
    const { registry, clock } = this.#dependencies;
    const expiresMs = key.expiresAt === 0 ? undefined : key.expiresAt * 1000;
    if (expiresMs !== undefined && expiresMs <= clock.now()) return undefined;
    const version = this.credentialsVersion();
    const cacheEntry = this.#principalsOfKeys.get(key);
    if (cacheEntry?.version === version) return cacheEntry.principal;
    const scopes = scopesOfKey(registry.credentials, this.#configuredUser, key.id);
    const principal: Principal | undefined =
      scopes === undefined
        ? undefined
        : {
            name: key.username,
            scopes,
            grants: grantsOfUser(registry.credentials, key.username),
            grantLimits: key.hasAllRoles === true ? undefined : new Set(key.scopes),
            namespace: key.namespace ?? undefined,
            keyId: key.id,
            credentialVersion: keyVersion(key),
            via: 'key',
            expiresMs,
          };
    this.#principalsOfKeys.set(key, { version, principal });
    return principal;
  }

  async #authenticateToken(text: string, address: string): Promise<Principal> {
    const session = await this.#dependencies.sessions.findByAccessToken(text);
    const principal = session === undefined ? undefined : this.#principalOfSession(session);
    return principal ?? this.refuseSlowly(address);
  }

  #principalOfSession({ id: sessionId, username, expiresMs, login }: Session): Principal | undefined {
    const account = login && { issuer: login.issuer, subject: login.subject };
    const endsMs = login === undefined ? expiresMs : Math.min(expiresMs, login.validUntilMs);
    return this.#principalOfUser(username, { via: 'token', sessionId, expiresMs: endsMs, account });
  }

  #principalOfUser(
    name: string,
    attributes: Pick<Principal, 'via' | 'sessionId' | 'expiresMs' | 'account'>,
  ): Principal | undefined {
    const { registry, versions } = this.#dependencies;
    const { credentials } = registry;
    const scopes = scopesOfUser(credentials, this.#configuredUser, name);
    if (scopes === undefined) return undefined;
    return {
      name,
      scopes,
      grants: grantsOfUser(credentials, name),
      credentialVersion: versions.versionOfUser(name),
      ...attributes,
    };
  }

  #authenticatePassword(encoded: string, address: string): Promise<Principal> | Principal {
    const credentials = nameAndPassword(encoded);
    if (credentials === undefined) throw this.#rejectedCredentialsError();
    // A reload is recorded before the caller is admitted. Otherwise a second reload, back to the previous credentials,
    // would go unnoticed, and the caller would stay admitted.
    this.#noteReload();
    const stored = this.#storedPassword(credentials.user);
    if (stored !== undefined && this.#dependencies.passwords.isVerified(credentials, stored)) {
      const principal = this.#principalOfUser(credentials.user, { via: 'password' });
      if (principal !== undefined) return principal;
    }
    return this.#attempt(credentials, address);
  }

  /**
   * Returns the stored form of a user's password; undefined if there is no such user. The user of `api.user` takes
   * precedence over a stored user with the same name.
   */
  #storedPassword(user: string): string | undefined {
    const { config, registry } = this.#dependencies;
    if (user === this.#configuredUser) return config.api.password;
    const stored = registry.credentials.users.get(user);
    return stored?.account === undefined ? stored?.passwordHash : undefined;
  }

  /**
   * Returns one stored password for each format in use: plain text, scrypt or bcrypt. Every wrong password is compared
   * in each format, so that the response time does not reveal whether the user exists.
   */
  #decoys(): string[] {
    const { config, registry } = this.#dependencies;
    const configured = config.api.password === undefined ? [] : [config.api.password];
    return registry.credentials.users.size === 0 ? configured : [...configured, DECOY_HASH];
  }

  async #attempt(credentials: NameAndPassword, address: string): Promise<Principal> {
    const isRight = await this.isPasswordOf(credentials, address);
    const principal = isRight ? this.#principalOfUser(credentials.user, { via: 'password' }) : undefined;
    if (principal === undefined) throw this.#rejectedCredentialsError();
    return principal;
  }

  /** Waits until the limiter of failed log-ins grants a slot, then verifies a password. */
  async #verifySlowly(credentials: NameAndPassword, address: string): Promise<boolean> {
    const { passwords } = this.#dependencies;
    using login = await this.#failed.begin(address);
    await login.acquireSlot();
    // The stored password is read after the wait: it may have changed, or another caller may have verified the same
    // password.
    const isUser = this.#principalOfUser(credentials.user, { via: 'password' }) !== undefined;
    const stored = isUser ? this.#storedPassword(credentials.user) : undefined;
    if (stored !== undefined && passwords.isVerified(credentials, stored)) return true;
    const isRight = await passwords.verify(credentials, stored, this.#decoys());
    if (!isRight) this.#logFailure(login.fail(), address);
    return isRight;
  }

  #rejectedCredentialsError(): MonError {
    const hint = this.#dependencies.config.program.oidc === undefined ? '' : ', or log in with monctl login';
    return new MonError(
      'unauthenticated',
      `credentials are missing or wrong: send user and password by HTTP Basic, or an API key as "Authorization: Key mk_..."${hint}`,
    );
  }

  /**
   * Logs a failed authentication, unless the address has already failed too often. The log omits the user name, because
   * people type their password there.
   */
  #logFailure(failures: number, address: string): void {
    const { log } = this.#dependencies;
    if (failures < FAILURES_BEFORE_DELAY) log.warn({ remote_address: address }, 'authentication failed');
    else if (failures === FAILURES_BEFORE_DELAY) {
      log.warn(
        { remote_address: address, failures },
        'too many failed authentications: responses to this address are delayed',
      );
    }
  }
}

/** Returns the earlier of two times; undefined means never. */
function earlierTime(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/**
 * Decodes the credentials of HTTP Basic. It splits them at the first colon, because a password may contain colons
 * (completion 1.1).
 */
function nameAndPassword(encoded: string): NameAndPassword | undefined {
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

/** Joins numbers to a text, and caches the text until a number changes, because the text is needed for every result. */
class StateText {
  #numbers: readonly number[] = [];
  #text = '';

  textOf(...numbers: readonly number[]): string {
    if (numbers.some((number, at) => number !== this.#numbers[at])) {
      this.#numbers = numbers;
      this.#text = numbers.join(' ');
    }
    return this.#text;
  }
}
