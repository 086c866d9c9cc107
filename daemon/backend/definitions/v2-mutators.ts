import { v2MutatorOf } from '../../../shared/domain/v2/mutator.ts';
import { v2MutatorSchema } from '../../../shared/schemas/v2/mutator.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { OnV2 } from '../http/route.ts';
import { inNamespace, objectHandlers } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './v2.ts';

/** Mutators that are made over the API, beside those of the configuration. */
export function mutatorsOnV2(deps: DefinitionDeps & { readonly config: ConfigInForce }): OnV2<'mutators'> {
  const { definitions } = deps.config;
  return objectHandlers(
    deps,
    definitionCollection(deps, {
      kind: 'mutators',
      fieldRoot: 'mutator',
      schema: v2MutatorSchema,
      configured: () =>
        [...definitions.configured('mutators')].map(([name, mutator]) => v2MutatorOf(DEFAULT_NAMESPACE, name, mutator)),
      place: inNamespace,
      isRunByBackend: true,
    }),
  );
}
