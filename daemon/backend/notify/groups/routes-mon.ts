import type { Definitions } from '../../model/config/definitions.ts';
import { sendList } from '../../http/list.ts';
import type { MonHandlers } from '../../http/route.ts';
import { visibleNamespaces } from '../../http/v2-collection.ts';
import type { NamespaceDependencies } from '../../namespaces/request-namespaces.ts';
import { groupRow } from './queries.ts';
import { groupsOf, type Group } from '../../model/notify/groups/state.ts';
import { nextGroupFlushAtMs } from './flush.ts';

interface GroupRouteDependencies extends NamespaceDependencies {
  readonly config: { readonly definitions: Pick<Definitions, 'inNamespace'> };
}

/** Returns the API route that lists the groups of handlers, in all namespaces that the caller may see. */
export function groupsOnMon(deps: GroupRouteDependencies): MonHandlers<'handlerGroups'> {
  const { registry, config } = deps;
  return {
    handlerGroups: (request, reply) => {
      const groups: Group[] = [];
      for (const name of visibleNamespaces(request, deps)) {
        const namespace = registry.findNamespace(name);
        if (namespace !== undefined) groups.push(...groupsOf(namespace).all());
      }
      return sendList(request, reply, groups, (page) =>
        page.map((group) => groupRow(group, nextGroupFlushAtMs(config.definitions, group))),
      );
    },
  };
}
