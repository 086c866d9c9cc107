import type { Definitions } from '../../model/config/definitions.ts';
import { sendList } from '../../http/list.ts';
import type { OnMon } from '../../http/route.ts';
import { visibleNamespaces } from '../../http/v2-collection.ts';
import type { NamespaceDeps } from '../../namespaces/request-namespaces.ts';
import { buildInhibitionRows } from './queries.ts';

interface InhibitionDeps extends NamespaceDeps {
  readonly config: { readonly definitions: Pick<Definitions, 'inhibitions'> };
}

/** Returns the route of the mon API that lists the inhibition rules with their current inhibitors. */
export function inhibitionsOnMon(deps: InhibitionDeps): OnMon<'inhibitions'> {
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
