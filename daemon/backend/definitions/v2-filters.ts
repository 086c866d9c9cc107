import { v2FilterOf } from '../../../shared/domain/v2/filter.ts';
import { v2FilterSchema } from '../../../shared/schemas/v2/filter.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { OnV2 } from '../http/route.ts';
import { inNamespace, objectHandlers } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './v2.ts';

/** Filters that are made over the API, beside those of the configuration. */
export function filtersOnV2(deps: DefinitionDeps & { readonly config: ConfigInForce }): OnV2<'filters'> {
  const { definitions } = deps.config;
  return objectHandlers(
    deps,
    definitionCollection(deps, {
      kind: 'filters',
      fieldRoot: 'filter',
      schema: v2FilterSchema,
      configured: () =>
        [...definitions.configured('filters')].map(([name, filter]) => v2FilterOf(DEFAULT_NAMESPACE, name, filter)),
      place: inNamespace,
    }),
  );
}
