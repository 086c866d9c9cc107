import type { Scope } from '../../../../shared/schemas/scope.ts';
import type { Roles } from './roles.ts';

/** A stored user. A deleted user is only disabled, because the records of their actions keep the name. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly disabled: boolean;
  /** A bcrypt hash. */
  readonly passwordHash: string;
  /** Epoch milliseconds. */
  readonly passwordChangedMs: number;
  /**
   * The number of times that all sessions of the user were ended: by another password, disabling or a log-out.
   * Absent: 0.
   */
  readonly credentialChanges?: number | undefined;
}

/** A stored API key: it can be verified, but not shown. */
export interface ApiKey {
  readonly id: string;
  readonly username: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /**
   * True if it has all rights of its user's roles, as a key that was granted without a list of scopes. Otherwise roles
   * count only for requests that need one of its scopes.
   */
  readonly hasAllRoles?: true | undefined;
  readonly namespace: string | null;
  /** Epoch seconds; 0: never. */
  readonly expiresAt: number;
  /** Requested lifetime in seconds; absent: a date was requested. */
  readonly lifetime?: number | undefined;
  readonly createdBy: string;
  /** Epoch seconds. */
  readonly createdAt: number;
  /** Epoch seconds, to the minute; null: never. */
  readonly lastUsed: number | null;
  readonly hash: string;
}

/** A log-in that uses tokens. Hashes are SHA-256 of the secrets, in base64url; times are epoch milliseconds. */
export interface Session {
  readonly id: string;
  readonly username: string;
  readonly startedMs: number;
  readonly refreshHash: string;
  /** The previous refresh token, which is accepted again for a short time; absent: there was none. */
  readonly rotated?: RotatedToken | undefined;
  /**
   * The version of the credentials, see `CredentialVersions`; absent in sessions of earlier versions of the program.
   */
  readonly credentialVersion?: string | undefined;
  readonly expiresMs: number;
  /** The access tokens, newest last; each is valid until its own expiry. */
  readonly access: readonly { readonly hash: string; readonly expiresMs: number }[];
}

/** A refresh token that was exchanged for the next one. */
export interface RotatedToken {
  readonly hash: string;
  /** The next token is derived from this and the secret of the token, so that a repeated request gets the same one. */
  readonly salt: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** Users, API keys, sessions and roles. Only transactions change it. */
export class CredentialRegistry {
  readonly users = new Map<string, User>();
  readonly apiKeys = new Map<string, ApiKey>();
  readonly sessions = new Map<string, Session>();
  /** The signing key of access tokens, in base64url; undefined: no user has logged in yet. */
  tokenKey: string | undefined;
  /** The rights of users by roles. */
  readonly roles: Roles;
  /** Increases with every change that may revoke rights. */
  version = 0;

  constructor(roles: Roles) {
    this.roles = roles;
  }

  /** True if there is no user or key with credentials yet. */
  get isEmpty(): boolean {
    return this.users.size === 0 && this.apiKeys.size === 0;
  }

  sessionsOf(username: string): Session[] {
    return [...this.sessions.values()].filter((session) => session.username === username);
  }
}
