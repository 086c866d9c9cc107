import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../shared/errors.ts';
import { parseApiKey } from '../../../shared/schemas/core/api-key.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { Log } from '../../log/log.ts';
import type { ApiKeys } from '../pipeline/api-keys.ts';
import { isSecret } from '../pipeline/key-secret.ts';
import type { Sessions } from '../pipeline/sessions.ts';
import type { Clock } from '../ports.ts';
import type { ApiKey } from '../registry/credentials.ts';
import { scopesOfKey, scopesOfUser } from '../registry/principals.ts';
import type { Registry } from '../registry/registry.ts';
import { ANONYMOUS, type Principal } from './access.ts';
import { FailedLogins, FREE_FAILURES } from './failed-logins.ts';
import { isLoopback, refuseForeignHost } from './host.ts';
import { HASH_OF_NOBODY, type NameAndPassword, type Passwords } from './password.ts';

/**
 * Lets a caller in, or throws. The answer is there at once for nearly all of them; only what is wrong, and a password that
 * has not been seen before, takes its time.
 *
 * @param address of the caller
 * @throws MonError `unauthenticated`, `forbidden`, `unavailable`; the promise likewise
 */
export type Authorize = (headers: IncomingHttpHeaders, address: string) => Promise<Principal> | Principal;

interface AuthenticatorParts {
  /** The settings in force: credentials that a reload changes count from then on. */
  readonly config: { readonly api: Pick<ApiSettings, 'user' | 'password'> };
  /** Where the backend listens, and the name of this machine. */
  readonly place: { readonly address: string; readonly hostname: string };
  readonly registry: Pick<Registry, 'credentials'>;
  readonly passwords: Passwords;
  readonly apiKeys: Pick<ApiKeys, 'noteUse'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly clock: Clock;
  readonly log: Log;
}

const CREDENTIALS = /^(?<scheme>basic|key|bearer) +(?<value>[\w+/=.~-]+) *$/i;

/**
 * Who may speak to this backend, over HTTP and WebSocket alike: whoever shows an API key, a token, or user and password.
 * While there are none of these, neither configured nor stored, it is everybody, but on loopback no page of another site.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #failed: FailedLogins;
  #configured: AuthenticatorParts['config']['api'];
  /** When a reload brought other credentials, epoch milliseconds. */
  #configuredMs = 0;
  /** Made once for each state of the credentials: the same key comes with every request. */
  readonly #ofKeys = new WeakMap<ApiKey, { readonly version: string; readonly principal: Principal | undefined }>();

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
    this.#failed = new FailedLogins(parts.clock);
    this.#configured = parts.config.api;
  }

  /** Whether nobody has to show credentials. */
  get isOpen(): boolean {
    return this.#configuredUser === undefined && this.#parts.registry.credentials.isEmpty;
  }

  /** @returns another one after every change that may take something away from somebody */
  version(): string {
    this.#noteReload();
    return `${String(this.#parts.registry.credentials.version)} ${String(this.#configuredMs)}`;
  }

  readonly authorize: Authorize = (headers, address) => {
    const { place } = this.#parts;
    if (this.isOpen) {
      if (isLoopback(place.address)) refuseForeignHost(headers, place.hostname);
      return ANONYMOUS;
    }
    const { scheme, value = '' } = CREDENTIALS.exec(headers.authorization ?? '')?.groups ?? {};
    switch (scheme?.toLowerCase()) {
      case 'basic':
        return this.#ofPassword(value, address);
      case 'key':
        return this.ofKey(value, address);
      case 'bearer':
        return this.#ofToken(value) ?? this.refuseSlowly(address);
      default:
        throw refusal();
    }
  };

  /**
   * The user whose name and password are shown by HTTP Basic; keys and tokens do not count, and neither does it count that
   * the backend is open.
   *
   * @throws MonError `unauthenticated`, `unavailable`
   */
  async logIn({ authorization }: IncomingHttpHeaders, address: string): Promise<Principal> {
    const { scheme, value = '' } = CREDENTIALS.exec(authorization ?? '')?.groups ?? {};
    if (scheme?.toLowerCase() !== 'basic') throw refusal();
    return this.#ofPassword(value, address);
  }

  ofKey(text: string, address: string): Promise<Principal> | Principal {
    return this.#knownKey(text) ?? this.refuseSlowly(address);
  }

  /** Refuses wrong credentials, later each time once there were many of the same address. */
  async refuseSlowly(address: string): Promise<never> {
    using login = await this.#failed.begin(address);
    this.#tell(login.fail(), address);
    throw refusal();
  }

  /**
   * What somebody who was let in may do by now.
   *
   * @param sinceMs when that was, epoch milliseconds
   * @returns undefined: the credentials count no more
   */
  renewed(principal: Principal, sinceMs: number): Principal | undefined {
    const { registry, clock } = this.#parts;
    const { credentials } = registry;
    if (principal.expiresMs !== undefined && principal.expiresMs <= clock.now() && principal.via !== 'token') {
      return undefined;
    }
    switch (principal.via) {
      case 'open':
        return this.isOpen ? principal : undefined;
      case 'nobody':
        return principal;
      case 'key': {
        const key = credentials.apiKeys.get(principal.keyId ?? '');
        return key === undefined ? undefined : this.#principalOfKey(key);
      }
      case 'token': {
        const session = credentials.sessions.get(principal.sessionId ?? '');
        if (session === undefined || session.expiresMs <= clock.now()) return undefined;
        return this.#principalOfUser(session.username, { via: 'token', sessionId: session.id });
      }
      case 'password': {
        const changedMs =
          principal.name === this.#configuredUser
            ? this.#configuredMs
            : (credentials.users.get(principal.name)?.passwordChangedMs ?? 0);
        return changedMs > sinceMs ? undefined : this.#principalOfUser(principal.name, { via: 'password' });
      }
    }
  }

  get #configuredUser(): string | undefined {
    const { user, password } = this.#parts.config.api;
    return password === undefined ? undefined : user;
  }

  #noteReload(): void {
    const { config, clock } = this.#parts;
    const { user, password } = this.#configured;
    if (config.api.user !== user || config.api.password !== password) this.#configuredMs = clock.now();
    this.#configured = config.api;
  }

  #knownKey(text: string): Principal | undefined {
    const shown = parseApiKey(text);
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
    const known = this.#ofKeys.get(key);
    if (known?.version === version) return known.principal;
    const scopes = scopesOfKey(registry.credentials, this.#configuredUser, key.id);
    const principal: Principal | undefined =
      scopes === undefined
        ? undefined
        : { name: key.username, scopes, namespace: key.namespace ?? undefined, keyId: key.id, via: 'key', expiresMs };
    this.#ofKeys.set(key, { version, principal });
    return principal;
  }

  #ofToken(text: string): Principal | undefined {
    const session = this.#parts.sessions.find(text);
    if (session === undefined) return undefined;
    const { id: sessionId, expiresMs } = session;
    return this.#principalOfUser(session.username, { via: 'token', sessionId, expiresMs });
  }

  #principalOfUser(name: string, rest: Pick<Principal, 'via' | 'sessionId' | 'expiresMs'>): Principal | undefined {
    const scopes = scopesOfUser(this.#parts.registry.credentials, this.#configuredUser, name);
    return scopes === undefined ? undefined : { name, scopes, ...rest };
  }

  #ofPassword(encoded: string, address: string): Promise<Principal> | Principal {
    const given = nameAndPassword(encoded);
    if (given === undefined) throw refusal();
    // Before anybody is let in with the new ones, who would be taken for one of those before.
    this.#noteReload();
    const stored = this.#storedPassword(given.user);
    const principal = stored === undefined ? undefined : this.#principalOfUser(given.user, { via: 'password' });
    if (principal !== undefined && stored !== undefined && this.#parts.passwords.isKnown(given, stored))
      return principal;
    return this.#attempt(given, principal === undefined ? undefined : stored, address);
  }

  /** The configuration first: nobody can take its name away by making a user. */
  #storedPassword(user: string): string | undefined {
    const { config, registry } = this.#parts;
    if (user === this.#configuredUser) return config.api.password;
    return registry.credentials.users.get(user)?.passwordHash;
  }

  /** What a password of somebody else is held against, of each kind. */
  #decoys(): string[] {
    const { config, registry } = this.#parts;
    const configured = config.api.password === undefined ? [] : [config.api.password];
    return registry.credentials.users.size === 0 ? configured : [...configured, HASH_OF_NOBODY];
  }

  async #attempt(given: NameAndPassword, stored: string | undefined, address: string): Promise<Principal> {
    const { passwords } = this.#parts;
    const sameUnderWay = passwords.underWay(given);
    let isRight: boolean;
    if (sameUnderWay === undefined) {
      using login = await this.#failed.begin(address);
      isRight = await passwords.verify(given, stored, this.#decoys());
      if (!isRight) this.#tell(login.fail(), address);
    } else {
      isRight = await sameUnderWay;
    }
    const principal = isRight ? this.#principalOfUser(given.user, { via: 'password' }) : undefined;
    if (principal === undefined) throw refusal();
    return principal;
  }

  /** The user is not told either: people type their password there. */
  #tell(failures: number, address: string): void {
    const { log } = this.#parts;
    if (failures < FREE_FAILURES) log.warn({ remote_address: address }, 'authentication failed');
    else if (failures === FREE_FAILURES) {
      log.warn({ remote_address: address, failures }, 'authentication failed too often, slowing this address down');
    }
  }
}

function refusal(): MonError {
  return new MonError(
    'unauthenticated',
    'credentials are missing or wrong: send user and password by HTTP Basic, or an API key as "Authorization: Key mk_..."',
  );
}

/** The user ends at the first colon: a password may hold more of them (completion 1.1). */
function nameAndPassword(encoded: string): NameAndPassword | undefined {
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}
