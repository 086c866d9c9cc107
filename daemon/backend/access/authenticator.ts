import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { isForwarded } from '../../../shared/domain/caller-address.ts';
import {
  certificateNamespaces,
  isStillGoodIn,
  type CertificateOrigin,
} from '../../../shared/domain/certificate-namespaces.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CertificateRule } from '../../../shared/schemas/certificate-rule.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { CredentialVersions } from './credential-versions.ts';
import type { Log } from '../../log/log.ts';
import type { ApiKeys } from './api-keys.ts';
import { isSecret, keyVersion } from './key-secret.ts';
import type { Sessions } from './sessions.ts';
import type { Clock } from '../ports.ts';
import type { ApiKey, Session } from '../model/access/credentials.ts';
import { grantsOfUser, scopesOfKey, scopesOfUser } from './scopes-of-user.ts';
import type { Registry } from '../model/registry/registry.ts';
import { ANONYMOUS, LOCAL_ADMINISTRATOR, UNAUTHENTICATED, type Principal } from './principal.ts';
import { FailedLogins, FREE_FAILURES } from './failed-logins.ts';
import { isLoopback, refuseForeignHost, refuseForwarded } from './host.ts';
import type { LocalToken } from './local-token.ts';
import { DECOY_HASH, type NameAndPassword, type Passwords } from './password.ts';
import type { Voucher } from './voucher.ts';

/**
 * Authenticates a caller, or throws. The result is nearly always immediate. Only wrong credentials, and a password that
 * was not seen before, take time.
 *
 * @param address of the caller
 * @throws MonError `unauthenticated`, `forbidden`, `unavailable`; the promise likewise
 */
export type Authorize = (headers: IncomingHttpHeaders, address: string) => Promise<Principal> | Principal;

interface AuthenticatorParts {
  /** The settings in force: credentials changed by a reload are valid from then on. */
  readonly config: { readonly api: Pick<ApiSettings, 'user' | 'password'> };
  /** The listening address of the backend, and the name of this machine. */
  readonly endpoint: { readonly address: string; readonly hostname: string };
  readonly registry: Pick<Registry, 'credentials'>;
  readonly passwords: Passwords;
  readonly apiKeys: Pick<ApiKeys, 'noteUse'>;
  readonly sessions: Pick<Sessions, 'find' | 'counts'>;
  readonly versions: Pick<CredentialVersions, 'configuredUser' | 'of' | 'ofConfigured'>;
  /** Authorities for the certificates of agents, and a number that differs after each change of them. */
  readonly certificates: { readonly authorities: readonly string[]; readonly version: number };
  /** Returns the setting `certificate-namespaces`, called each time: a reload takes effect at once. */
  readonly certificateRules: () => readonly CertificateRule[];
  /** The token of the programs on this machine. */
  readonly localToken: LocalToken;
  readonly clock: Clock;
  readonly log: Log;
}

const LOCAL = /^bearer +(?<token>ml_[\w-]+) *$/i;
const CREDENTIALS = /^(?<scheme>basic|key|bearer) +(?<value>[\w+/=.~-]+) *$/i;

/**
 * Authenticates callers, over HTTP and WebSocket alike, by an API key, a token, or user and password, and on this
 * machine by its own token. While no users and keys exist, neither configured nor stored, every caller is admitted. On
 * loopback this excludes pages of other sites.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #failed: FailedLogins;
  #configured: AuthenticatorParts['config']['api'];
  /** The rules for certificates at the last check. */
  #certificateRules: readonly CertificateRule[];
  /** Number of reloads that changed credentials. */
  #reloads = 0;
  readonly #state = new StateText();
  /** Cached for each state of the credentials, because the same key comes with every request. */
  readonly #ofKeys = new WeakMap<ApiKey, { readonly version: string; readonly principal: Principal | undefined }>();

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
    this.#failed = new FailedLogins(parts.clock);
    this.#configured = parts.config.api;
    this.#certificateRules = parts.certificateRules();
  }

  /** True if callers need no credentials. */
  get isOpen(): boolean {
    return this.#configuredUser === undefined && this.#parts.registry.credentials.isEmpty;
  }

  /** @returns a text that differs after every change that may revoke rights */
  version(): string {
    this.#noteReload();
    const { registry, certificates } = this.#parts;
    const { version, roles } = registry.credentials;
    return this.#state.textOf(version, roles.version, this.#reloads, certificates.version);
  }

  readonly authorize: Authorize = (headers, address) => {
    const { endpoint } = this.#parts;
    if (this.isOpen) {
      if (isLoopback(endpoint.address)) {
        refuseForeignHost(headers, endpoint.hostname);
        refuseForwarded(headers);
      }
      return this.whileOpen(headers, address);
    }
    if (this.#isLocal(headers, address)) return LOCAL_ADMINISTRATOR;
    return this.ofCredentials(headers, address);
  };

  /**
   * Returns the owner of the password, key or token: these credentials are valid at every backend that shares the
   * store.
   */
  readonly ofCredentials: Authorize = (headers, address) => {
    const { scheme, value = '' } = CREDENTIALS.exec(headers.authorization ?? '')?.groups ?? {};
    switch (scheme?.toLowerCase()) {
      case 'basic':
        return this.#ofPassword(value, address);
      case 'key':
        return this.ofKey(value, address);
      case 'bearer':
        return this.#ofToken(value, address);
      default:
        throw refusal();
    }
  };

  /**
   * Returns the principal of a request while no credentials are required: then only the token of this machine is
   * accepted.
   */
  whileOpen(headers: IncomingHttpHeaders, address: string): Principal {
    return this.#isLocal(headers, address) ? LOCAL_ADMINISTRATOR : ANONYMOUS;
  }

  /**
   * Returns the user whose name and password are sent by HTTP Basic. Keys and tokens are not accepted, even while the
   * backend is open.
   *
   * @throws MonError `unauthenticated`, `unavailable`
   */
  async logIn({ authorization }: IncomingHttpHeaders, address: string): Promise<Principal> {
    const { scheme, value = '' } = CREDENTIALS.exec(authorization ?? '')?.groups ?? {};
    if (scheme?.toLowerCase() !== 'basic') throw refusal();
    return this.#ofPassword(value, address);
  }

  /** True if this is the password of an enabled user. Wrong ones are slowed down like log-ins. */
  async isPasswordOf(credentials: NameAndPassword, address: string): Promise<boolean> {
    const isRight = await this.#failed.share(address, this.#parts.passwords.digestOf(credentials), () =>
      this.#look(credentials, address),
    );
    if (!isRight) return false;
    // The password may have changed while it was verified, or while others waited for the same verification.
    const stored = this.#storedPassword(credentials.user);
    return stored !== undefined && this.#parts.passwords.isVerified(credentials, stored);
  }

  ofKey(text: string, address: string): Promise<Principal> | Principal {
    return this.#authenticateKey(text) ?? this.refuseSlowly(address);
  }

  /** Rejects wrong credentials, with a delay after many failures from the same address. */
  async refuseSlowly(address: string): Promise<never> {
    using login = await this.#failed.begin(address);
    this.#logFailure(login.fail(), address);
    throw refusal();
  }

  /**
   * Returns the voucher by which another backend with the same store recognizes a caller who was authenticated here.
   */
  voucherOf(principal: Principal): Voucher {
    const { name, via, keyId, sessionId, authority, clientNames, certificateOrigin } = principal;
    const { expiresMs, certificateExpiresMs } = principal;
    const passwordChangedMs = this.#parts.registry.credentials.users.get(name)?.passwordChangedMs;
    return {
      name,
      via,
      keyId,
      sessionId,
      authority,
      clientNames,
      certificateOrigin,
      expiresMs: earlier(expiresMs, certificateExpiresMs),
      passwordChangedMs,
    };
  }

  /** Returns the version of the credentials for another backend to compare; undefined: they are not in the store. */
  sentVersionOf({ name, via, credentialVersion }: Principal): string | undefined {
    const isStored = via === 'key' || (via === 'password' && name !== this.#configuredUser);
    return isStored ? credentialVersion : undefined;
  }

  /**
   * Returns the principal of a caller whom another backend with the same store has authenticated, with the rights that
   * are valid here and now.
   *
   * @param credentialVersion of the credentials that were used there; undefined: the other backend has an earlier
   *   version of the program, which does not send it
   * @throws MonError `unauthenticated` if the credentials that were used there are not valid here
   */
  ofVoucher(voucher: Voucher, credentialVersion?: string): Principal {
    const principal = this.#ofVoucher(voucher, credentialVersion);
    if (principal === undefined) {
      throw new MonError(
        'unauthenticated',
        'the leader rejects these credentials: use other credentials, or give all members the same api and tls settings',
      );
    }
    return principal;
  }

  #ofVoucher({ passwordChangedMs = 0, ...voucher }: Voucher, shownVersion: string | undefined): Principal | undefined {
    const { name, via, keyId, authority, expiresMs } = voucher;
    if (via === 'open') return this.isOpen ? ANONYMOUS : undefined;
    if (via === 'nobody') return UNAUTHENTICATED;
    if (via === 'local') return LOCAL_ADMINISTRATOR;
    const goodIn = this.namespacesOf(voucher.certificateOrigin);
    if (via === 'certificate') {
      return this.renewed({ ...voucher, certificateNamespaces: goodIn, scopes: new Set(['submit']) });
    }
    if (keyId !== undefined) this.#parts.apiKeys.noteUse(keyId);
    const changedMs = this.#parts.registry.credentials.users.get(name)?.passwordChangedMs ?? 0;
    const isConfigured = name === this.#parts.versions.configuredUser;
    if (via === 'password' && shownVersion === undefined && !isConfigured && changedMs > passwordChangedMs)
      return undefined;
    const credentialVersion = shownVersion ?? (via === 'password' ? this.#parts.versions.of(name) : undefined);
    return this.renewed({
      ...voucher,
      certificateNamespaces: goodIn,
      scopes: new Set(),
      credentialVersion,
      ...(authority !== undefined && { certificateExpiresMs: expiresMs }),
    });
  }

  /**
   * Returns an authenticated principal with its present rights.
   *
   * @returns undefined: the credentials are no longer valid
   */
  renewed(principal: Principal): Principal | undefined {
    const { clock, certificates } = this.#parts;
    const { authority, clientNames, certificateOrigin, certificateNamespaces: goodIn } = principal;
    const { certificateExpiresMs = Infinity } = principal;
    if (authority !== undefined && !certificates.authorities.includes(authority)) return undefined;
    if (certificateExpiresMs <= clock.now()) return undefined;
    if (!isStillGoodIn(goodIn, this.namespacesOf(certificateOrigin))) return undefined;
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

  /** Returns the namespaces for which a certificate is valid; undefined: all of them, or there is no certificate. */
  namespacesOf(origin: CertificateOrigin | undefined): readonly string[] | undefined {
    return origin && certificateNamespaces(this.#parts.certificateRules(), origin);
  }

  /** Renews a principal without checking the certificate that was sent in addition to other credentials. */
  #renewed(principal: Principal): Principal | undefined {
    const { registry, clock, versions, sessions } = this.#parts;
    const { credentials } = registry;
    switch (principal.via) {
      case 'open':
        return this.isOpen ? principal : undefined;
      case 'nobody':
      case 'local':
        return principal;
      case 'certificate':
        return (principal.expiresMs ?? Infinity) > clock.now() ? principal : undefined;
      case 'key': {
        const key = credentials.apiKeys.get(principal.keyId ?? '');
        // It may be another key by now, with the same id.
        const isSame = key !== undefined && (principal.credentialVersion ?? keyVersion(key)) === keyVersion(key);
        return isSame ? this.#principalOfKey(key) : undefined;
      }
      case 'token': {
        const session = credentials.sessions.get(principal.sessionId ?? '');
        return session !== undefined && sessions.counts(session) ? this.#principalOfSession(session) : undefined;
      }
      case 'password':
        return principal.credentialVersion === versions.of(principal.name)
          ? this.#principalOfUser(principal.name, { via: 'password' })
          : undefined;
    }
  }

  /**
   * Returns a function that checks later whether an admitted caller still has the right to its request, and returns the
   * present rights.
   *
   * @param refuse called with the present rights if credentials have changed; throws to reject
   */
  admissionOf(principal: Principal, refuse: (renewed: Principal) => void): () => Principal {
    const version = this.version();
    return () => {
      if (this.version() === version) return principal;
      const renewed = this.renewed(principal);
      if (renewed === undefined)
        throw new MonError('unauthenticated', 'the credentials are no longer valid: authenticate again');
      refuse(renewed);
      return renewed;
    };
  }

  get #configuredUser(): string | undefined {
    return this.#parts.versions.configuredUser;
  }

  /** True for the token of this machine if it comes directly from this machine, not through a proxy on it. */
  #isLocal(headers: IncomingHttpHeaders, address: string): boolean {
    const shown = LOCAL.exec(headers.authorization ?? '')?.groups?.['token'];
    if (shown === undefined || !isLoopback(address) || isForwarded(headers)) return false;
    return this.#parts.localToken.is(shown);
  }

  #noteReload(): void {
    const { config } = this.#parts;
    const { user, password } = this.#configured;
    if (config.api.user !== user || config.api.password !== password) this.#reloads++;
    this.#configured = config.api;
    const rules = this.#parts.certificateRules();
    if (!isDeepStrictEqual(rules, this.#certificateRules)) this.#reloads++;
    this.#certificateRules = rules;
  }

  #authenticateKey(text: string): Principal | undefined {
    const shown = partsOfKey(text);
    const key = shown === undefined ? undefined : this.#parts.registry.credentials.apiKeys.get(shown.id);
    if (shown === undefined || key === undefined || !isSecret(shown.secret, key.hash)) return undefined;
    const principal = this.#principalOfKey(key);
    if (principal !== undefined) this.#parts.apiKeys.noteUse(key.id);
    return principal;
  }

  #principalOfKey(key: ApiKey): Principal | undefined {
    const { registry, clock } = this.#parts;
    const expiresMs = key.expiresAt === 0 ? undefined : key.expiresAt * 1000;
    if (expiresMs !== undefined && expiresMs <= clock.now()) return undefined;
    const version = this.version();
    const cacheEntry = this.#ofKeys.get(key);
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
    this.#ofKeys.set(key, { version, principal });
    return principal;
  }

  async #ofToken(text: string, address: string): Promise<Principal> {
    const session = await this.#parts.sessions.find(text);
    const principal = session === undefined ? undefined : this.#principalOfSession(session);
    return principal ?? this.refuseSlowly(address);
  }

  #principalOfSession({ id: sessionId, username, expiresMs }: Session): Principal | undefined {
    return this.#principalOfUser(username, { via: 'token', sessionId, expiresMs });
  }

  #principalOfUser(
    name: string,
    attributes: Pick<Principal, 'via' | 'sessionId' | 'expiresMs'>,
  ): Principal | undefined {
    const { registry, versions } = this.#parts;
    const { credentials } = registry;
    const scopes = scopesOfUser(credentials, this.#configuredUser, name);
    if (scopes === undefined) return undefined;
    return {
      name,
      scopes,
      grants: grantsOfUser(credentials, name),
      credentialVersion: versions.of(name),
      ...attributes,
    };
  }

  #ofPassword(encoded: string, address: string): Promise<Principal> | Principal {
    const credentials = nameAndPassword(encoded);
    if (credentials === undefined) throw refusal();
    // Before a caller is admitted with new credentials: otherwise it would be taken for one with the previous ones.
    this.#noteReload();
    const stored = this.#storedPassword(credentials.user);
    if (stored !== undefined && this.#parts.passwords.isVerified(credentials, stored)) {
      const principal = this.#principalOfUser(credentials.user, { via: 'password' });
      if (principal !== undefined) return principal;
    }
    return this.#attempt(credentials, address);
  }

  /**
   * Returns the stored password of a user; undefined: there is no such user. The configuration has priority, so that no
   * stored user can take over its name.
   */
  #storedPassword(user: string): string | undefined {
    const { config, registry } = this.#parts;
    if (user === this.#configuredUser) return config.api.password;
    return registry.credentials.users.get(user)?.passwordHash;
  }

  /** Returns one stored password of each kind, to compare with when the user does not exist. */
  #decoys(): string[] {
    const { config, registry } = this.#parts;
    const configured = config.api.password === undefined ? [] : [config.api.password];
    return registry.credentials.users.size === 0 ? configured : [...configured, DECOY_HASH];
  }

  async #attempt(credentials: NameAndPassword, address: string): Promise<Principal> {
    const isRight = await this.isPasswordOf(credentials, address);
    const principal = isRight ? this.#principalOfUser(credentials.user, { via: 'password' }) : undefined;
    if (principal === undefined) throw refusal();
    return principal;
  }

  /** Verifies a password, as soon as it is the turn of this caller. */
  async #look(credentials: NameAndPassword, address: string): Promise<boolean> {
    const { passwords } = this.#parts;
    using login = await this.#failed.begin(address);
    await login.acquireSlot();
    // Checked only now: during the wait the password may have changed, or another caller may have sent the same one.
    const isUser = this.#principalOfUser(credentials.user, { via: 'password' }) !== undefined;
    const stored = isUser ? this.#storedPassword(credentials.user) : undefined;
    if (stored !== undefined && passwords.isVerified(credentials, stored)) return true;
    const isRight = await passwords.verify(credentials, stored, this.#decoys());
    if (!isRight) this.#logFailure(login.fail(), address);
    return isRight;
  }

  /** Logs a failure. It does not log the user name, because people type their password there. */
  #logFailure(failures: number, address: string): void {
    const { log } = this.#parts;
    if (failures < FREE_FAILURES) log.warn({ remote_address: address }, 'authentication failed');
    else if (failures === FREE_FAILURES) {
      log.warn(
        { remote_address: address, failures },
        'too many failed authentications: responses to this address are delayed',
      );
    }
  }
}

/** Returns the earlier of two times; undefined stands for never. */
function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function refusal(): MonError {
  return new MonError(
    'unauthenticated',
    'credentials are missing or wrong: send user and password by HTTP Basic, or an API key as "Authorization: Key mk_..."',
  );
}

/** Splits at the first colon, because a password may contain colons (completion 1.1). */
function nameAndPassword(encoded: string): NameAndPassword | undefined {
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

/** Joins some numbers to a text, and caches it until one of them changes: it is needed for every result. */
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
