import type { Scope } from '../../../../shared/schemas/scope.ts';
import type { OidcAccount } from '../../../../shared/domain/oidc.ts';
import type { Roles } from './roles.ts';

/** A stored user. A user is never deleted but disabled, because the audit trail still contains its name. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly disabled: boolean;
  /** Bcrypt hash of the user's password. */
  readonly passwordHash: string;
  /** Time when the password was last changed, epoch milliseconds. */
  readonly passwordChangedMs: number;
  /**
   * How often all sessions of the user were ended: by a new password, by disabling the user or by a log-out; absent if
   * never.
   */
  readonly credentialChanges?: number | undefined;
  /**
   * The account of the identity provider that this user logs in with; absent for a local user. Its groups come from
   * the provider, and it has no password.
   */
  readonly account?: OidcAccount | undefined;
}

/** A stored API key. The store contains only a hash of its secret, so the key can be verified but not shown. */
export interface ApiKey {
  readonly id: string;
  readonly username: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /**
   * True if the key has all rights of its user's roles; the default for a key that was granted without a list of
   * scopes. If absent, roles apply only to requests that need one of the scopes of the key.
   */
  readonly hasAllRoles?: true | undefined;
  readonly namespace: string | null;
  /** Time when the key expires, epoch seconds; 0 if it never expires. */
  readonly expiresAt: number;
  /** Lifetime in seconds that the request for the key contained; absent if it contained a date, or no expiry. */
  readonly lifetime?: number | undefined;
  readonly createdBy: string;
  /** Time when the key was created, epoch seconds. */
  readonly createdAt: number;
  /** Time when the key was last used, epoch seconds; null if it was never used. It is stored at most once a minute. */
  readonly lastUsed: number | null;
  readonly hash: string;
}

/**
 * The session of a user who logged in and got tokens. Hashes are SHA-256 of the secrets, in base64url; times are epoch
 * milliseconds.
 */
export interface Session {
  readonly id: string;
  readonly username: string;
  readonly startedMs: number;
  readonly refreshHash: string;
  /**
   * The previous refresh token, which is still accepted for a short time; absent if the first token was not exchanged
   * yet.
   */
  readonly rotated?: RotatedToken | undefined;
  /**
   * Version of the user's credentials when the session began, see `CredentialVersions`; absent if an earlier version of
   * the program stored the session.
   */
  readonly credentialVersion?: string | undefined;
  readonly expiresMs: number;
  /** Hashes of the session's access tokens, the newest last; each token is valid until it expires. */
  readonly access: readonly { readonly hash: string; readonly expiresMs: number }[];
  /** The login at the identity provider; absent if the user logged in with a password. */
  readonly login?: IssuerLogin | undefined;
}

/** A login at an identity provider, which a session checks again at each refresh. */
export interface IssuerLogin extends OidcAccount {
  /** The refresh token of the provider, encrypted with a key that only the holder of the session's tokens has. */
  readonly sealed: string;
  /** Time when the provider last confirmed the login, epoch milliseconds. */
  readonly confirmedMs: number;
  /** Time until which the session can be used without another check, epoch milliseconds. */
  readonly validUntilMs: number;
}

/** A refresh token that a client has exchanged for a new one. */
export interface RotatedToken {
  readonly hash: string;
  /**
   * Salt of the next token, which is derived from this salt and the secret of this token. So a client that repeats the
   * exchange gets the same next token.
   */
  readonly salt: string;
  /** Time when the token was exchanged, epoch milliseconds. */
  readonly atMs: number;
}

/**
 * The users, API keys, sessions and roles in memory. Only transactions change them; a follower applies the changes of
 * the leader.
 */
export class CredentialRegistry {
  readonly users = new Map<string, User>();
  readonly apiKeys = new Map<string, ApiKey>();
  readonly sessions = new Map<string, Session>();
  /** The signing key of access tokens, in base64url; undefined if no user has logged in for tokens yet. */
  tokenKey: string | undefined;
  /** The roles and role bindings, which grant rights to users. */
  readonly roles: Roles;
  /** Version number that increases with every change of users, API keys or sessions that can revoke rights. */
  version = 0;

  constructor(roles: Roles) {
    this.roles = roles;
  }

  /** True if neither a user nor an API key is stored. */
  get isEmpty(): boolean {
    return this.users.size === 0 && this.apiKeys.size === 0;
  }

  sessionsOf(username: string): Session[] {
    return [...this.sessions.values()].filter((session) => session.username === username);
  }
}
