import type { Scope } from '../../../shared/schemas/scope.ts';
import type { Roles } from './roles.ts';

/** A user as it is stored. Who is deleted is disabled: what they did keeps its name. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly disabled: boolean;
  /** bcrypt. */
  readonly passwordHash: string;
  /** Epoch milliseconds. */
  readonly passwordChangedMs: number;
  /**
   * The number of times that all sessions of the user were ended: by another password, disabling or a log-out.
   * Absent: 0.
   */
  readonly credentialChanges?: number | undefined;
}

/** An API key as it is stored: enough to know it again, not enough to show it. */
export interface ApiKey {
  readonly id: string;
  readonly username: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /**
   * Whether it has whatever the roles of its user allow, as one that was granted without a list of scopes. Else they count only
   * for what asks for one of its scopes.
   */
  readonly hasAllRoles?: true | undefined;
  readonly namespace: string | null;
  /** Epoch seconds; 0: never. */
  readonly expiresAt: number;
  /** Seconds that were asked for instead of a date. */
  readonly lifetime?: number | undefined;
  readonly createdBy: string;
  /** Epoch seconds. */
  readonly createdAt: number;
  /** Epoch seconds, to the minute; null: never. */
  readonly lastUsed: number | null;
  readonly hash: string;
}

/** Somebody who logged in for tokens. Hashes are SHA-256 of the secrets, in base64url; times epoch milliseconds. */
export interface Session {
  readonly id: string;
  readonly username: string;
  readonly startedMs: number;
  readonly refreshHash: string;
  /** The refresh token before the present one, which may be shown again for a while; absent: there was none. */
  readonly rotated?: RotatedToken | undefined;
  /** See `CredentialVersions`; absent in sessions of earlier versions of the program. */
  readonly credentialVersion?: string | undefined;
  readonly expiresMs: number;
  /** The newest last; those before it are good until their own end. */
  readonly access: readonly { readonly hash: string; readonly expiresMs: number }[];
}

/** A refresh token that was exchanged for the next one. */
export interface RotatedToken {
  readonly hash: string;
  /** The next token is made of this and the secret of the token, so that a repeated request gets the same one. */
  readonly salt: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** Who may get in. Only transactions change it. */
export class CredentialRegistry {
  readonly users = new Map<string, User>();
  readonly apiKeys = new Map<string, ApiKey>();
  readonly sessions = new Map<string, Session>();
  /** What access tokens are signed with, in base64url; undefined: nobody has logged in yet. */
  tokenKey: string | undefined;
  /** What users may do by roles. */
  readonly roles: Roles;
  /** Grows with every change that may take something away from somebody. */
  version = 0;

  constructor(roles: Roles) {
    this.roles = roles;
  }

  /** Whether nobody was made yet who could show credentials. */
  get isEmpty(): boolean {
    return this.users.size === 0 && this.apiKeys.size === 0;
  }

  sessionsOf(username: string): Session[] {
    return [...this.sessions.values()].filter((session) => session.username === username);
  }
}
