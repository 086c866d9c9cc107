import { randomBytes } from 'node:crypto';
import { commonScopes } from '../../../shared/domain/v2/groups.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import {
  formatApiKey,
  type GrantedApiKey,
  type PatchedApiKey,
  type RestoredApiKey,
} from '../../../shared/schemas/v2/api-key.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { ApiKey } from '../model/access/credentials.ts';
import { grantsOfUser, scopesOfUser } from './scopes-of-user.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { hashSecret, newSecret } from './key-secret.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { API_KEYS } from '../model/access/storage.ts';
import { saveApiKey } from '../model/access/mutations.ts';

/** Maximum number of stored API keys. */
export const KEYS_MAX = 10_000;
const ID_BYTES = 8;
/** Interval, in milliseconds, at which the last use of API keys is written to the store. */
const USES_MS = 60_000;

interface ApiKeyDependencies {
  readonly batcher: Batcher;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the user of the setting `api.user`, who has all rights; undefined if there is none. */
  readonly configuredUser: () => string | undefined;
  /** Maximum number of stored API keys; default: `KEYS_MAX`. */
  readonly keysMax?: number;
}

/**
 * The user who grants an API key. `scopes` are read in the transaction of the grant, because they can change while the
 * grant waits.
 */
export interface Granter {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
}

/** Grants, changes, restores and revokes API keys, and records when they were last used. */
export class ApiKeys implements Disposable {
  readonly #dependencies: ApiKeyDependencies;
  readonly #timer: Disposable;
  /** Time of the last use by key id, in epoch seconds, for uses that are not in the store yet. */
  readonly #uses = new Map<string, number>();

  constructor(dependencies: ApiKeyDependencies) {
    this.#dependencies = dependencies;
    this.#timer = dependencies.clock.every(USES_MS, () => {
      this.#writeUses().catch((error: unknown) => {
        dependencies.log.warn({ reason: errorMessage(error) }, 'could not save when API keys were last used');
      });
    });
  }

  /**
   * Creates an API key.
   *
   * @returns the stored key, and the text of the key, which cannot be read again later
   * @throws MonError `invalid` if the user does not exist or is disabled, `not_found` if the namespace does not exist,
   *   `forbidden` if the granter may not grant a scope or the roles, `unavailable` if the maximum number of keys is
   *   reached
   */
  async grant(
    requestedKey: GrantedApiKey,
    granter: Granter,
  ): Promise<{ readonly stored: ApiKey; readonly key: string }> {
    const id = randomBytes(ID_BYTES).toString('hex');
    const secret = newSecret();
    const stored = await this.#dependencies.batcher.run((transaction) => {
      const key: ApiKey = {
        id,
        ...this.#limitsOf(transaction, requestedKey, granter.scopes),
        ...allRolesOf(requestedKey),
        ...(requestedKey.expire
          ? { expiresAt: transaction.now + requestedKey.expire, lifetime: requestedKey.expire }
          : { expiresAt: requestedKey.expires_at ?? 0 }),
        createdBy: granter.actor.who,
        createdAt: transaction.now,
        lastUsed: null,
        hash: hashSecret(secret),
      };
      refuseForeignRoles(key, granter);
      this.#save(transaction, key, granter.actor);
      return key;
    });
    return { stored, key: formatApiKey(id, secret) };
  }

  /**
   * Stores an API key from a dump with its id and hash, in place of an existing key with this id.
   *
   * @throws MonError with the same codes as `grant`
   */
  restore(submitted: RestoredApiKey, granter: Granter): Promise<void> {
    return this.#dependencies.batcher.run((transaction) => {
      const { actor, scopes } = granter;
      const key: ApiKey = {
        id: submitted.metadata.name,
        ...this.#limitsOf(transaction, submitted, scopes),
        ...allRolesOf(submitted),
        expiresAt: submitted.expires_at ?? 0,
        createdBy: submitted.metadata.created_by ?? actor.who,
        createdAt: submitted.created_at ?? transaction.now,
        lastUsed: submitted.last_used ?? null,
        hash: submitted.hash,
      };
      refuseForeignRoles(key, granter);
      this.#save(transaction, key, actor);
    });
  }

  /**
   * Changes the user, scopes, namespace, description and expiry of an API key; its secret stays valid.
   *
   * @param changeOf callback that gets the current key and returns its new attributes; throws to reject the change
   * @throws MonError `not_found` if there is no such key; otherwise with the same codes as `grant`
   */
  change(id: string, granter: Granter, changeOf: (present: ApiKey) => PatchedApiKey): Promise<ApiKey> {
    return this.#dependencies.batcher.run((transaction) => {
      const { actor, scopes } = granter;
      const present = transaction.registry.credentials.apiKeys.get(id);
      if (present === undefined) throw new MonError('not_found', 'not found');
      const patchedKey = changeOf(present);
      const { hasAllRoles: _roles, lifetime, ...others } = present;
      const expiresAt = patchedKey.expires_at ?? 0;
      const key: ApiKey = {
        ...others,
        ...this.#limitsOf(transaction, patchedKey, scopes),
        ...allRolesOf(patchedKey),
        expiresAt,
        ...(expiresAt === present.expiresAt && { lifetime }),
      };
      refuseForeignRoles(key, granter);
      this.#save(transaction, key, actor);
      return key;
    });
  }

  /** @throws MonError `not_found` if there is no such key */
  revoke(id: string, actor: Actor): Promise<void> {
    return this.#dependencies.batcher.run((transaction) => {
      const key = transaction.registry.credentials.apiKeys.get(id);
      if (key === undefined) throw new MonError('not_found', 'not found');
      transaction.remove(API_KEYS, transaction.registry.credentials, id);
      recordAudit(transaction, actor, { action: 'apikey.revoke', target: id, before: auditedApiKey(key) });
    });
  }

  /** Records in memory that an API key is used now; a timer writes this time to the store later. */
  noteUse(id: string): void {
    this.#uses.set(id, Math.floor(this.#dependencies.clock.now() / 1000));
  }

  /** Returns when an API key was last used, in epoch seconds; null if it was never used. */
  lastUse(key: ApiKey): number | null {
    return this.#uses.get(key.id) ?? key.lastUsed;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #limitsOf(
    { registry }: Transaction,
    { username, scopes: requestedScopes, namespace, description }: GrantedApiKey | PatchedApiKey | RestoredApiKey,
    granted: ReadonlySet<Scope>,
  ): Pick<ApiKey, 'username' | 'scopes' | 'namespace' | 'description'> {
    const own = scopesOfUser(registry.credentials, this.#dependencies.configuredUser(), username);
    if (own === undefined) throw new MonError('invalid', `there is no user ${username}, or it is disabled`);
    // The key would keep the groups of the user's last login, even if the identity provider has removed them since.
    if (registry.credentials.users.get(username)?.account !== undefined) {
      throw new MonError(
        'invalid',
        `${username} is a user of the identity provider and cannot own API keys: create a local user for the key`,
      );
    }
    if (namespace && !registry.hasNamespace(namespace)) {
      throw new MonError('not_found', `there is no namespace ${namespace}: create it first`);
    }
    // The user's roles can allow more than the user's scopes. The scopes of the key then only limit these roles.
    const hasRoles = grantsOfUser(registry.credentials, username).length > 0;
    const possible = hasRoles && requestedScopes ? granted : commonScopes(own, granted);
    const missing = (requestedScopes ?? []).filter((scope) => !possible.has(scope));
    if (missing.length > 0) {
      throw new MonError(
        'forbidden',
        `an API key of ${username} cannot have the scope ${missing.join(', ')}: both the owner and the creator of the key must have that scope`,
      );
    }
    const scopes = SCOPES.filter((scope) => (requestedScopes ?? [...possible]).includes(scope));
    return { username, scopes, namespace: namespace ?? null, description: description ?? null };
  }

  #save(transaction: Transaction, key: ApiKey, actor: Actor): void {
    const { keysMax = KEYS_MAX } = this.#dependencies;
    const { apiKeys } = transaction.registry.credentials;
    const before = apiKeys.get(key.id);
    transaction.refuseNew(before);
    if (before === undefined && apiKeys.size >= keysMax) {
      throw new MonError('unavailable', `the limit of ${String(keysMax)} API keys is reached: revoke some first`);
    }
    saveApiKey(transaction, key);
    recordAudit(transaction, actor, {
      action: 'apikey.create',
      target: key.id,
      before: before === undefined ? null : auditedApiKey(before),
      after: auditedApiKey(key),
    });
  }

  async #writeUses(): Promise<void> {
    // Only the leader can write to the store; a follower retains the times of use in memory.
    if (this.#uses.size === 0 || !this.#dependencies.batcher.isLeading) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    await this.#dependencies.batcher.run((transaction) => {
      for (const [id, lastUsed] of uses) {
        const key = transaction.registry.credentials.apiKeys.get(id);
        if (key === undefined) continue;
        // Unlike `saveApiKey`, this does not increase the version of the credentials, because no rights change.
        transaction.put(API_KEYS, transaction.registry.credentials, id, { ...key, lastUsed });
      }
    });
  }
}

/**
 * Returns `{ hasAllRoles: true }` if a key gets all roles of its user, and `{}` otherwise. If the request does not
 * contain `all_roles`, a key without scopes gets all roles.
 */
export function allRolesOf({
  scopes,
  all_roles: allRoles,
}: Pick<GrantedApiKey, 'scopes'> & Pick<RestoredApiKey, 'all_roles'>): Pick<ApiKey, 'hasAllRoles'> {
  return (allRoles ?? !scopes) ? { hasAllRoles: true } : {};
}

/**
 * Rejects an API key with all roles of another user, unless an administrator grants it: the key would also get the
 * roles that this user gets later.
 */
function refuseForeignRoles(key: ApiKey, { actor, scopes }: Granter): void {
  if (key.hasAllRoles !== true || scopes.has('admin') || key.username === actor.who) return;
  throw new MonError(
    'forbidden',
    `only an administrator can create an API key with the roles of ${key.username}: set scopes that you have, or ask an administrator`,
  );
}

/** Returns the attributes of an API key for the audit trail, without the hash. */
function auditedApiKey({ username, description, scopes, namespace, expiresAt }: ApiKey): unknown {
  return { username, description, scopes, namespace, expires_at: expiresAt };
}
