import { CLUSTER_NAMESPACE } from '../../../shared/domain/v2/built-in-roles.ts';
import { skippedReason } from '../../../shared/domain/v2/import-losses.ts';
import {
  isCountedEntity,
  kindOf,
  namespaceOf,
  wrappedName,
  type WrappedObject,
} from '../../../shared/domain/v2/wrapped-object.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { v2NamespaceSchema } from '../../../shared/schemas/v2/namespace.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { restoreKey, type RestoreResult, type RestoreRequest } from '../../../shared/schemas/restore.ts';
import type { Definitions } from '../model/config/definitions.ts';
import { type CheckEntry, type ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { ApiCommands } from '../audit/api-commands.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { restoreApiKey, restoreUser } from './restore-credentials.ts';
import { restoreDefinition } from './restore-definition.ts';
import { restoreEntity } from './restore-entity.ts';
import { recordsOfEvent, restoreEvent } from './restore-event.ts';
import { skippedResult, restoreState, type RestoreContext } from './restore-context.ts';
import { restoreOverride } from './restore-override.ts';
import { restoreSilenced } from './restore-silenced.ts';
import type { RoleGuard } from '../access/role-guard.ts';
import type { SilencesMax } from '../silences/commands.ts';
import { NAMESPACES } from '../model/namespaces/storage.ts';

interface RestoreDependencies {
  readonly batcher: Batcher;
  readonly definitions: Definitions;
  readonly commands: ApiCommands;
  readonly roles: RoleGuard;
  readonly entityLimit: EntityLimit;
  /** Returns the name of the user in the configuration file, who has all rights; undefined if there is none. */
  readonly configuredUser: () => string | undefined;
  readonly silencesMax: SilencesMax;
}

/**
 * Restores objects of a dump exactly as they were. Unlike a result, a restored event runs no handler and changes no
 * counter.
 */
export class Restore {
  readonly #dependencies: RestoreDependencies;

  constructor(dependencies: RestoreDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Restores objects in order, in one commit. Objects that cannot be restored are skipped with a reason.
   *
   * @returns the outcome of each object, in the order of the request
   * @throws MonError `unavailable`, or `no_memory` if memory is full; nothing was changed then
   */
  run(
    { objects, dry_run: dryRun, assumed = [], assumed_entities: entities = 0 }: RestoreRequest,
    actor: Actor,
  ): Promise<RestoreResult[]> {
    const isDryRun = dryRun === true;
    const { batcher, configuredUser, silencesMax, ...parts } = this.#dependencies;
    return batcher.run(
      (transaction) => {
        if (!isDryRun) transaction.refuseNew(undefined);
        const context: RestoreContext = {
          ...parts,
          transaction,
          by: actor.who,
          isDryRun,
          assumed: new Set(isDryRun ? assumed : []),
          assumedEntities: isDryRun ? entities : 0,
          configuredUser: configuredUser(),
          silencesMax: silencesMax(),
        };
        const results = objects.map((object) => {
          const result = restoreOne(context, object);
          if (isDryRun && result.outcome !== 'skipped') assumeRestored(context, object, result);
          return result;
        });
        const changed = results.filter(({ outcome }) => outcome === 'created' || outcome === 'replaced').length;
        if (!isDryRun && changed > 0) {
          recordAudit(transaction, actor, {
            action: 'restore',
            target: targetOf(objects),
            after: { objects: changed },
          });
        }
        return results;
      },
      { weight: objects.length, needs: (registry) => recordsOf(registry, objects), endsBatch: true },
    );
  }
}

function restoreOne(context: RestoreContext, object: WrappedObject): RestoreResult {
  // mon sends no telemetry, so the telemetry settings of a dump have no effect.
  if (object.type === 'TessenConfig') return { outcome: 'unchanged' };
  const kind = kindOf(object);
  if (kind === undefined) return skippedResult(skippedReason(object));
  if (kind.type === 'Namespace') return restoreNamespace(context, object);
  if (kind.type === 'User') return restoreUser(context, object);
  if (kind.type === 'APIKey') return restoreApiKey(context, object);
  if (!kind.isNamespaced) return restoreDefinition(context, CLUSTER_NAMESPACE, kind.path, object);
  const { registry } = context.transaction;
  const name = namespaceOf(object);
  const isThere = registry.hasNamespace(name);
  if (!isThere && !context.assumed.has(restoreKey('Namespace', '', name))) {
    return skippedResult(`there is no namespace ${name}: restore the namespaces too`);
  }
  // In a dry run it is possible that the namespace does not exist. `registry.namespace` would create it, so use a
  // temporary one.
  const namespace = isThere ? registry.namespace(name) : new Namespace(name);
  switch (kind.type) {
    case 'Silenced':
      return restoreSilenced(context, namespace, object);
    case 'Entity':
      return restoreEntity(context, namespace, object);
    case 'Event':
      return restoreEvent(context, namespace, object);
    case 'OnCallOverride':
      return restoreOverride(context, namespace, object);
    default:
      return restoreDefinition(context, name, kind.path, object);
  }
}

/** Records in a dry run that an object would exist, because later objects of the same request may need it. */
function assumeRestored(context: RestoreContext, object: WrappedObject, { outcome }: RestoreResult): void {
  const { assumed } = context;
  const { type } = object;
  if (isCountedEntity(object) && outcome === 'created') context.assumedEntities++;
  if (type !== 'Namespace' && type !== 'User' && type !== 'Entity') return;
  assumed.add(restoreKey(type, namespaceOf(object), wrappedName(object)));
}

function restoreNamespace(context: RestoreContext, object: WrappedObject): RestoreResult {
  const parsed = v2NamespaceSchema.safeParse({ name: wrappedName(object) });
  if (!parsed.success) return skippedResult(problemsOf(parsed.error));
  const { name } = parsed.data;
  const { transaction } = context;
  const before = transaction.registry.hasNamespace(name) ? name : undefined;
  return restoreState(context, { before, after: name }, () =>
    transaction.put(NAMESPACES, transaction.registry.declared, name, name),
  );
}

/** Returns the existing entries of entities and events in a request. Their records are compared with the dump. */
function recordsOf(registry: Registry, objects: readonly WrappedObject[]): (CheckEntry | ClientEntry)[] {
  return objects.flatMap((object) => {
    const type = kindOf(object)?.type;
    if (type !== 'Event' && type !== 'Entity') return [];
    const name = namespaceOf(object);
    // `registry.namespace` would create an unknown namespace.
    if (!registry.hasNamespace(name)) return [];
    const namespace = registry.namespace(name);
    if (type === 'Event') return recordsOfEvent(namespace, object);
    return namespace.clients.get(wrappedName(object)) ?? [];
  });
}

function targetOf(objects: readonly WrappedObject[]): string {
  const types = new Set(objects.map(({ type }) => type));
  return [...types].join(', ');
}
