import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { DEFINITION_KINDS, isRoleKind, ROLE_KINDS } from '../model/definitions/state.ts';
import type { Registry } from '../model/registry/registry.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { DEFINITIONS } from '../model/definitions/storage.ts';
import { groupsOf } from '../model/notify/groups/state.ts';
import { HANDLER_GROUPS } from '../model/notify/groups/storage.ts';
import { NAMESPACES } from '../model/namespaces/storage.ts';
import { stashesOf } from '../model/stashes/state.ts';

/** Maximum number of namespaces in a backend. */
export const NAMESPACES_MAX = 10_000;

/** Creates and deletes namespaces. */
export class Namespaces {
  readonly #batcher: Batcher;
  readonly #namespacesMax: number;

  constructor(batcher: Batcher, namespacesMax = NAMESPACES_MAX) {
    this.#batcher = batcher;
    this.#namespacesMax = namespacesMax;
  }

  /**
   * Creates a namespace. A namespace that already exists stays unchanged.
   *
   * @param check callback that is called with true if the namespace exists, and can throw to reject the request
   * @throws MonError `unavailable` if the limit is reached or the change cannot be committed
   */
  async put(name: string, check: (isThere: boolean) => void, actor: Actor): Promise<void> {
    await this.#batcher.run((transaction) => {
      const { declared } = transaction.registry;
      const isThere = declared.has(name);
      check(isThere);
      if (isThere) return;
      transaction.refuseNew(undefined);
      if (declared.names().length >= this.#namespacesMax) {
        throw new MonError(
          'unavailable',
          `the limit of ${String(this.#namespacesMax)} namespaces is reached: delete some first`,
        );
      }
      transaction.put(NAMESPACES, declared, name, name);
      recordAudit(transaction, actor, { action: 'namespace.create', target: name });
    });
  }

  /**
   * Deletes an empty namespace, with its roles and role bindings.
   *
   * @param check callback that throws to reject the deletion
   * @throws MonError `not_found` if there is no such namespace, `invalid` for `default` and for a namespace that is not
   *   empty (the message lists the contents), `unavailable` if the change cannot be committed
   */
  async remove(name: string, check: () => void, actor: Actor): Promise<void> {
    await this.#batcher.run((transaction) => {
      const { registry } = transaction;
      if (!registry.declared.has(name)) throw new MonError('not_found', 'not found');
      if (name === DEFAULT_NAMESPACE) {
        throw new MonError('invalid', `${name} cannot be deleted: the v1 API uses it`);
      }
      check();
      const contents = contentsOf(registry, name);
      if (contents.length > 0) {
        throw new MonError('invalid', `namespace is not empty: it contains ${contents.join(', ')}; delete these first`);
      }
      for (const kind of ROLE_KINDS) {
        for (const own of registry.definitions.inNamespace(kind, name).keys()) {
          transaction.remove(DEFINITIONS, registry.definitions, { kind, namespace: name, name: own });
        }
      }
      removeNamespace(transaction, name);
      recordAudit(transaction, actor, { action: 'namespace.delete', target: name });
    });
  }
}

/**
 * Deletes a namespace and its state. This includes state that does not count as its contents, such as bans of deleted
 * clients.
 */
function removeNamespace(transaction: Transaction, name: string): void {
  const { registry } = transaction;
  const namespace = registry.namespace(name);
  for (const group of groupsOf(namespace).all()) transaction.announce(HANDLER_GROUPS, group);
  for (const { clear } of registry.tables) for (const key of clear?.(namespace) ?? []) transaction.erase(key);
  transaction.remove(NAMESPACES, registry.declared, name);
  registry.removeNamespace(name);
}

/** Returns texts such as `2 checks`: for each kind, the number of objects that are in a namespace or refer to it. */
function contentsOf(registry: Registry, name: string): string[] {
  const namespace = registry.namespace(name);
  const keys = [...registry.credentials.apiKeys.values()].filter((key) => key.namespace === name).length;
  let events = 0;
  for (const { checks } of namespace.clients.values()) events += checks.size;
  const counts: readonly (readonly [count: number, one: string, many: string])[] = [
    // Roles and role bindings are not listed, because they are deleted together with the namespace.
    ...DEFINITION_KINDS.filter((kind) => !isRoleKind(kind)).map(
      (kind) => [registry.definitions.inNamespace(kind, name).size, kind.slice(0, -1), kind as string] as const,
    ),
    [namespace.clients.size, 'entity', 'entities'],
    [events, 'event', 'events'],
    [namespace.silenced.size, 'silence', 'silences'],
    [stashesOf(namespace).size, 'stash', 'stashes'],
    [keys, 'API key', 'API keys'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${String(count)} ${count === 1 ? one : many}`);
}
