import { v2NamespaceSchema, type V2Namespace } from '../../../shared/schemas/v2/namespace.ts';
import type { EscalationGuard } from '../access/escalation-guard.ts';
import { seesNamespace } from '../access/principal.ts';
import type { V2Handlers } from '../http/route.ts';
import type { NamespaceDependencies } from './request-namespaces.ts';
import type { Namespaces } from './commands.ts';
import { schemaValidator } from '../http/json-body.ts';
import { objectHandlers, type Collection } from '../http/v2-collection.ts';
import { objectsAfterKey } from '../http/v2-object-list.ts';

const parseNamespace = schemaValidator(v2NamespaceSchema);

/** Serves namespaces as objects of the v2 API. They belong to no namespace themselves (reference 2.7). */
export function namespacesOnV2(
  deps: NamespaceDependencies & { readonly namespaces: Namespaces; readonly escalation: EscalationGuard },
): V2Handlers<'namespaces'> {
  const { namespaces, registry, escalation } = deps;
  const collection: Collection<V2Namespace> = {
    fieldRoot: 'namespace',
    isClusterWide: true,
    parse: parseNamespace,
    namespaceOf: () => undefined,
    withNamespace: ({ name }) => ({ name }),
    keyOf,
    labelsOf: () => ({}),
    list: (_none, after) => [objectsAfterKey(registry.declared.names().map(namespaceOf), after, keyOf)],
    get: (_none, [name = '']) => (registry.declared.has(name) ? namespaceOf(name) : undefined),
    write: async (_none, [name = ''], change, actor) => {
      await namespaces.put(name, (isThere) => void change(isThere ? namespaceOf(name) : undefined), actor);
      return namespaceOf(name);
    },
    remove: (_none, [name = ''], check, actor, request) => {
      const guarded = (): void => {
        check(namespaceOf(name));
        escalation.refuseNamespaceRemoval(request.admission(), name);
      };
      return namespaces.remove(name, guarded, actor);
    },
    isVisible: ({ name }, principal) => seesNamespace(principal, name),
  };
  return objectHandlers(deps, collection);
}

function keyOf({ name }: V2Namespace): readonly [string] {
  return [name];
}

function namespaceOf(name: string): V2Namespace {
  return { name };
}
