import { v2HandlerOf } from '../../../shared/domain/v2/handler.ts';
import { v2HandlerSchema } from '../../../shared/schemas/v2/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { OnV2 } from '../http/route.ts';
import { inNamespace, objectHandlers } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './v2.ts';

/** Handlers that are made over the API, beside those of the configuration. */
export function handlersOnV2(deps: DefinitionDeps & { readonly config: ConfigInForce }): OnV2<'handlers'> {
  const { definitions } = deps.config;
  return objectHandlers(
    deps,
    definitionCollection(deps, {
      kind: 'handlers',
      fieldRoot: 'handler',
      schema: v2HandlerSchema,
      configured: () =>
        [...definitions.configured('handlers')].map(([name, handler]) => v2HandlerOf(DEFAULT_NAMESPACE, name, handler)),
      place: inNamespace,
      isRunByBackend: true,
    }),
  );
}
