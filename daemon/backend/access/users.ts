import { MonError } from '../../../shared/errors.ts';
import type { SubmittedPassword, SubmittedUser } from '../../../shared/schemas/v2/user.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { User } from '../model/access/credentials.ts';
import { hasAdministrator } from './scopes-of-user.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { saveUser } from '../model/access/mutations.ts';

/** Maximum number of stored users. */
export const USERS_MAX = 10_000;

interface UserDependencies {
  readonly batcher: Batcher;
  /** Returns the hash of a password. The hash is stored in place of the password. */
  readonly hashPassword: (password: string) => Promise<string>;
  /** Returns true if the settings name an administrator, so that a lock-out is impossible. */
  readonly isAdminConfigured: () => boolean;
  /** Maximum number of stored users; default: `USERS_MAX`. */
  readonly usersMax?: number;
}

/**
 * Checks in the transaction whether the requester may make a change of a user.
 *
 * @throws MonError `forbidden` if the requester may not make the change
 */
export type UserGuard = (before: User | undefined, after: User) => void;

/** The default guard, which allows every change. */
const ALLOW_EVERY_CHANGE: UserGuard = () => undefined;

/** Creates and changes the stored users. A user is never removed, only disabled. */
export class Users {
  readonly #dependencies: UserDependencies;

  constructor(dependencies: UserDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @throws MonError `conflict` if a user has this name, `invalid` if the password is missing, `unavailable` if the
   *   maximum number of users is reached or free disk space is missing
   */
  async create(submitted: SubmittedUser, actor: Actor, guard = ALLOW_EVERY_CHANGE): Promise<void> {
    const hash = await this.#hashOf(submitted);
    await this.#dependencies.batcher.run((transaction) => {
      if (transaction.registry.credentials.users.has(submitted.username)) {
        throw new MonError('conflict', `the user ${submitted.username} already exists`);
      }
      this.#save(transaction, submitted, hash, actor, guard);
    });
  }

  /** Creates or replaces a user. If the request contains no password, the stored password stays valid. */
  async put(submitted: SubmittedUser, actor: Actor, guard = ALLOW_EVERY_CHANGE): Promise<void> {
    const hash = await this.#hashOf(submitted);
    await this.#dependencies.batcher.run((transaction) => this.#save(transaction, submitted, hash, actor, guard));
  }

  /** @throws MonError `not_found` if there is no such user */
  async setPassword(
    username: string,
    submitted: SubmittedPassword,
    actor: Actor,
    guard = ALLOW_EVERY_CHANGE,
  ): Promise<void> {
    const passwordHash = await this.#hashOf(submitted);
    const next = (user: User, { nowMs }: Transaction): User => ({
      ...user,
      ...(passwordHash !== undefined && { passwordHash, passwordChangedMs: nowMs }),
    });
    await this.#change(username, actor, next, guard);
  }

  /** @throws MonError `not_found` if there is no such user, `conflict` if no administrator would remain */
  setDisabled(username: string, disabled: boolean, actor: Actor, guard = ALLOW_EVERY_CHANGE): Promise<void> {
    return this.#change(username, actor, (user) => ({ ...user, disabled }), guard);
  }

  /** @throws MonError `not_found` if there is no such user, `conflict` if no administrator would remain */
  setGroups(
    username: string,
    next: (groups: readonly string[]) => readonly string[],
    actor: Actor,
    guard = ALLOW_EVERY_CHANGE,
  ): Promise<void> {
    return this.#change(username, actor, (user) => ({ ...user, groups: next(user.groups) }), guard);
  }

  #change(
    username: string,
    actor: Actor,
    next: (user: User, transaction: Transaction) => User,
    guard: UserGuard,
  ): Promise<void> {
    return this.#dependencies.batcher.run((transaction) => {
      const before = transaction.registry.credentials.users.get(username);
      if (before === undefined) throw new MonError('not_found', `there is no user ${username}`);
      this.#commit(transaction, before, next(before, transaction), actor, guard);
    });
  }

  #save(
    transaction: Transaction,
    submitted: SubmittedUser,
    hash: string | undefined,
    actor: Actor,
    guard: UserGuard,
  ): void {
    const { users } = transaction.registry.credentials;
    const before = users.get(submitted.username);
    const passwordHash = hash ?? before?.passwordHash;
    if (passwordHash === undefined) throw new MonError('invalid', 'password: is required for a new user');
    transaction.refuseNew(before);
    const { usersMax = USERS_MAX } = this.#dependencies;
    if (before === undefined && users.size >= usersMax) {
      throw new MonError('unavailable', `the limit of ${String(usersMax)} users is reached: delete some first`);
    }
    const isSamePassword = passwordHash === before?.passwordHash;
    this.#commit(
      transaction,
      before,
      {
        username: submitted.username,
        groups: [...new Set(submitted.groups)],
        disabled: submitted.disabled ?? false,
        passwordHash,
        passwordChangedMs: isSamePassword ? before.passwordChangedMs : transaction.nowMs,
        account: before?.account,
      },
      actor,
      guard,
    );
  }

  #commit(transaction: Transaction, before: User | undefined, after: User, actor: Actor, guard: UserGuard): void {
    guard(before, after);
    refusePassword(before, after);
    const { credentials } = transaction.registry;
    const { index } = credentials.roles;
    const hadAdministrator = hasAdministrator(credentials.users, index);
    const others = new Map(credentials.users).set(after.username, after);
    if (hadAdministrator && !this.#dependencies.isAdminConfigured() && !hasAdministrator(others, index)) {
      throw new MonError('conflict', `${after.username} is the last administrator: create another one first`);
    }
    saveUser(transaction, after);
    const isDisabled = after.disabled && before?.disabled === false;
    recordAudit(transaction, actor, {
      action: before === undefined ? 'user.create' : isDisabled ? 'user.disable' : 'user.change',
      target: after.username,
      before: before === undefined ? null : auditedUser(before),
      after: auditedUser(after),
    });
  }

  /**
   * Returns the hash of the password that is to be stored; undefined if no password was submitted. It is computed
   * before the transaction, which must not wait.
   */
  async #hashOf({ password, password_hash: hash }: SubmittedPassword): Promise<string | undefined> {
    if (hash) return hash;
    return password ? await this.#dependencies.hashPassword(password) : undefined;
  }
}

/** @throws MonError `conflict` if a password is set for a user of an identity provider: it would bypass the provider */
function refusePassword(before: User | undefined, after: User): void {
  if (before?.account === undefined || before.passwordHash === after.passwordHash) return;
  throw new MonError(
    'conflict',
    `${after.username} logs in at ${before.account.issuer}: change the password there, or create another user`,
  );
}

/**
 * Returns the attributes of a user for the audit trail, without the hash. A change of the password shows only in the
 * time of the last change.
 */
function auditedUser({ groups, disabled, passwordChangedMs }: User): unknown {
  return { groups, disabled, secret_changed_at: Math.floor(passwordChangedMs / 1000) };
}
