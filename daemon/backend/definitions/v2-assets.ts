import { v2AssetSchema } from '../../../shared/schemas/v2/asset.ts';
import type { OnV2 } from '../http/route.ts';
import { inNamespace, objectHandlers } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './v2.ts';

/** Assets, which are stored and told to agents of the newer generation: they fetch and verify them by themselves. */
export function assetsOnV2(deps: DefinitionDeps): OnV2<'assets'> {
  return objectHandlers(
    deps,
    definitionCollection(deps, {
      kind: 'assets',
      fieldRoot: 'asset',
      schema: v2AssetSchema,
      configured: () => [],
      place: inNamespace,
    }),
  );
}
