import { scryptSync } from 'node:crypto';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';
import type { CredentialRegistry } from '../model/access/credentials.ts';

/**
 * Cost of the scrypt digest, about ten milliseconds at each change of the settings. The digest is stored with sessions,
 * so it must be hard to attack.
 */
const SCRYPT_COST = { N: 8192, r: 8, p: 1 };
const DIGEST_BYTES = 16;

interface VersionDependencies {
  /** The current settings. */
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
 * Determines the version of a user's credentials. Sessions and connections record the version with which they were
 * opened, and end when it changes. A timestamp would not suffice as the version: two changes can fall into the same
 * millisecond, and clocks are set back.
 */
export class CredentialVersions {
  readonly #dependencies: VersionDependencies;
  #configured: ConfiguredVersion | undefined;

  constructor(dependencies: VersionDependencies) {
    this.#dependencies = dependencies;
  }

  /** The user of the setting `api.user`; undefined if the settings contain no password for the API. */
  get configuredUser(): string | undefined {
    const { user, password } = this.#dependencies.config.api;
    return password === undefined ? undefined : user;
  }

  /** @returns the version of a user's credentials; undefined if there is no such user, or if the user is disabled */
  versionOfUser(username: string): string | undefined {
    if (username === this.configuredUser) return this.configuredUserVersion();
    const user = this.#dependencies.registry.credentials.users.get(username);
    return user === undefined || user.disabled ? undefined : storedVersion(user.credentialChanges ?? 0);
  }

  /**
   * Returns the version of the credentials in the settings, which is the same at each backend with the same settings;
   * undefined if the settings contain no credentials.
   */
  configuredUserVersion(): string | undefined {
    const { config, storeId } = this.#dependencies;
    const { user, password } = config.api;
    if (user === undefined || password === undefined) return undefined;
    const cachedVersion = this.#configured;
    if (cachedVersion?.user === user && cachedVersion.password === password) return cachedVersion.text;
    // The digest is slow on purpose: it is in the store, and the password may be in plain text in the settings. A
    // reader of the store must not be able to guess it.
    const digest = scryptSync(JSON.stringify([user, password]), storeId, DIGEST_BYTES, SCRYPT_COST).toString(
      'base64url',
    );
    this.#configured = { user, password, text: `configured ${digest}` };
    return this.#configured.text;
  }
}

/** @param changes number of times that all sessions of the user were ended */
export function storedVersion(changes: number): string {
  return `stored ${String(changes)}`;
}
