import { CLUSTER_NAMESPACE } from '../../../shared/domain/v2/built-in-roles.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions } from '../model/config/definitions.ts';
import {
  isRoleKind,
  translateDefinition,
  type DefinitionKind,
  type DefinitionKinds,
} from '../model/definitions/state.ts';
import { findBuiltIn, type RoleChange } from '../model/access/roles.ts';
import type { ApiCommands } from '../audit/api-commands.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { isFixedRole, type RoleGuard } from '../access/role-guard.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { DEFINITIONS } from '../model/definitions/storage.ts';
import { saveDefinition } from '../model/definitions/mutations.ts';

/** Maximum number of definitions of one kind in one namespace. */
export const DEFINITIONS_MAX = 10_000;

/** Option that makes a change of definitions the last command of its batch, so that later results use the change. */
const ENDS_BATCH = { endsBatch: true };

type ObjectOf<Kind extends DefinitionKind> = DefinitionKinds[Kind]['object'];

interface DefinitionDependencies {
  readonly batcher: Batcher;
  readonly definitions: Definitions;
  readonly commands: ApiCommands;
  readonly roles: RoleGuard;
}

/** Creates, changes and deletes definitions that are managed over the API. */
export class DefinitionChanges {
  readonly #dependencies: DefinitionDependencies;
  readonly #definitionsMax: number;

  constructor(dependencies: DefinitionDependencies, definitionsMax = DEFINITIONS_MAX) {
    this.#dependencies = dependencies;
    this.#definitionsMax = definitionsMax;
  }

  /**
   * Creates or changes a definition. A changed definition retains its original creator.
   *
   * @param change callback that returns the new object, or throws to reject the change. Its argument is the current
   *   object; for a role, this can be a built-in one. It is undefined if there is none.
   * @throws MonError `conflict` if the configuration defines this name or the change of a role is not allowed,
   *   `not_found` if there is no such namespace, `invalid` if the object cannot be used, `forbidden` for a command that
   *   is not allowed over the API, `unavailable` if the limit is reached or the change cannot be committed
   */
  async write<Kind extends DefinitionKind>(
    kind: Kind,
    namespace: string,
    name: string,
    change: (present: ObjectOf<Kind> | undefined) => ObjectOf<Kind>,
    actor: Actor,
  ): Promise<ObjectOf<Kind>> {
    return await this.#dependencies.batcher.run((transaction) => {
      const { definitions, declared } = transaction.registry;
      if (namespace !== CLUSTER_NAMESPACE && !declared.has(namespace))
        throw new MonError('not_found', `the namespace ${namespace} does not exist`);
      this.#refuseConfigured(kind, namespace, name);
      const present = definitions.get(kind, namespace, name)?.object;
      const made = change(present ?? builtInOf(kind, namespace, name));
      transaction.refuseNew(present);
      if (present === undefined && definitions.inNamespace(kind, namespace).size >= this.#definitionsMax) {
        throw new MonError(
          'unavailable',
          `the limit of ${String(this.#definitionsMax)} ${kind} in the namespace ${namespace} is reached: delete some first`,
        );
      }
      const createdBy = present === undefined ? actor.who : present.metadata.created_by;
      const object = { ...made, metadata: { ...made.metadata, ...(createdBy ? { created_by: createdBy } : {}) } };
      const stored = translateDefinition(kind, object);
      const problem = this.#dependencies.commands.problemOf(kind, stored);
      if (problem !== undefined) throw new MonError('forbidden', problem);
      if (isRoleKind(kind)) {
        const after: RoleChange = { kind, namespace, name, object: stored.object as RoleChange['object'] };
        this.#dependencies.roles.refuse(after, transaction.registry.credentials);
        if (isFixedRole(after)) return stored.object;
      }
      saveDefinition(transaction, kind, stored);
      recordAudit(transaction, actor, {
        action: present === undefined ? 'definition.create' : 'definition.change',
        target: targetOf(kind, namespace, name),
        before: present,
        after: stored.object,
      });
      return stored.object;
    }, ENDS_BATCH);
  }

  /**
   * Deletes a definition that was created over the API.
   *
   * @param check callback that is called with the current object, and throws to reject the deletion
   * @throws MonError `conflict` if the configuration defines the object or the deletion of a role is not allowed,
   *   `not_found` if there is no such object, `unavailable` if the change cannot be committed
   */
  async remove<Kind extends DefinitionKind>(
    kind: Kind,
    namespace: string,
    name: string,
    check: (present: ObjectOf<Kind>) => void,
    actor: Actor,
  ): Promise<void> {
    await this.#dependencies.batcher.run((transaction) => {
      this.#refuseConfigured(kind, namespace, name);
      const present = transaction.registry.definitions.get(kind, namespace, name)?.object;
      if (isRoleKind(kind)) this.#refuseRemoval(transaction, { kind, namespace, name, object: undefined });
      if (present === undefined) throw new MonError('not_found', 'not found');
      check(present);
      transaction.remove(DEFINITIONS, transaction.registry.definitions, { kind, namespace, name });
      recordAudit(transaction, actor, {
        action: 'definition.delete',
        target: targetOf(kind, namespace, name),
        before: present,
      });
    }, ENDS_BATCH);
  }

  #refuseRemoval({ registry }: Transaction, change: RoleChange): void {
    const { kind, namespace, name } = change;
    const isStored = registry.definitions.get(kind, namespace, name) !== undefined;
    if (isStored || findBuiltIn(kind, namespace, name) !== undefined)
      this.#dependencies.roles.refuse(change, registry.credentials);
    if (!isStored && findBuiltIn(kind, namespace, name) !== undefined) {
      throw new MonError('conflict', `${name} is built in and cannot be deleted`);
    }
  }

  #refuseConfigured(kind: DefinitionKind, namespace: string, name: string): void {
    if (namespace !== DEFAULT_NAMESPACE || !this.#dependencies.definitions.configured(kind).has(name)) return;
    throw new MonError('conflict', `${name} is defined in the configuration file; change it there`);
  }
}

function builtInOf<Kind extends DefinitionKind>(
  kind: Kind,
  namespace: string,
  name: string,
): ObjectOf<Kind> | undefined {
  return isRoleKind(kind) ? findBuiltIn(kind, namespace, name) : undefined;
}

function targetOf(kind: DefinitionKind, namespace: string, name: string): string {
  return namespace === CLUSTER_NAMESPACE ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
