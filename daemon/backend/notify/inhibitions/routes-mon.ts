import type { Definitions } from '../../model/config/definitions.ts';
import { sendList } from '../../http/list.ts';
import type { MonHandlers } from '../../http/route.ts';
import { visibleNamespaces } from '../../http/v2-collection.ts';
import type { NamespaceDependencies } from '../../namespaces/request-namespaces.ts';
import { buildInhibitionRows } from './queries.ts';

interface InhibitionDependencies extends NamespaceDependencies {
  readonly config: { readonly definitions: Pick<Definitions, 'inhibitions'> };
}

/** Returns the route of the mon API that lists the inhibition rules with their current inhibitors. */
export function inhibitionsOnMon(deps: InhibitionDependencies): MonHandlers<'inhibitions'> {
  const { registry, config } = deps;
  return {
    inhibitions: (request, reply) => {
      const namespaces = visibleNamespaces(request, deps).flatMap((name) => registry.findNamespace(name) ?? []);
      return sendList(request, reply, config.definitions.inhibitions, (rules) =>
        buildInhibitionRows(rules, namespaces),
      );
    },
  };
}
