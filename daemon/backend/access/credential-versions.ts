import { scryptSync } from 'node:crypto';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { CredentialRegistry } from '../model/access/credentials.ts';

/** The digest takes some ten milliseconds, once for each change of the settings, because it is stored with sessions. */
const COST = { N: 8192, r: 8, p: 1 };
const DIGEST_BYTES = 16;

interface VersionParts {
  /** The settings in force. */
  readonly config: { readonly api: Pick<ApiSettings, 'user' | 'password'> };
  readonly registry: { readonly credentials: CredentialRegistry };
  /** The id of the store that all backends share. It is the salt of the digest. */
  readonly storeId: string;
}

interface ConfiguredVersion {
  readonly user: string;
  readonly password: string;
  readonly text: string;
}

/**
 * The version of a user's credentials. Sessions and connections remember the version with which they were opened, and
 * end when it changes. Times would not suffice: two changes can fall into the same millisecond, and clocks are set
 * back.
 */
export class CredentialVersions {
  readonly #parts: VersionParts;
  #configured: ConfiguredVersion | undefined;

  constructor(parts: VersionParts) {
    this.#parts = parts;
  }

  /** The user of `api.user`; undefined: the settings name none. */
  get configuredUser(): string | undefined {
    const { user, password } = this.#parts.config.api;
    return password === undefined ? undefined : user;
  }

  /** @returns undefined if there is no such user, or if the user is disabled */
  of(username: string): string | undefined {
    if (username === this.configuredUser) return this.ofConfigured();
    const user = this.#parts.registry.credentials.users.get(username);
    return user === undefined || user.disabled ? undefined : storedVersion(user.credentialChanges ?? 0);
  }

  /** Returns the version of the credentials in the settings: the same at each backend with the same settings. */
  ofConfigured(): string | undefined {
    const { config, storeId } = this.#parts;
    const { user, password } = config.api;
    if (user === undefined || password === undefined) return undefined;
    const cachedVersion = this.#configured;
    if (cachedVersion?.user === user && cachedVersion.password === password) return cachedVersion.text;
    // Slow on purpose: a reader of the store must not be able to guess a password that the settings have in plain text.
    const digest = scryptSync(JSON.stringify([user, password]), storeId, DIGEST_BYTES, COST).toString('base64url');
    this.#configured = { user, password, text: `configured ${digest}` };
    return this.#configured.text;
  }
}

/** @param changes the number of times that all sessions of this user were ended */
export function storedVersion(changes: number): string {
  return `stored ${String(changes)}`;
}
