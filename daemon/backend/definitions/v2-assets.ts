import type { FastifyInstance } from 'fastify';
import { v2AssetSchema } from '../../../shared/schemas/v2/asset.ts';
import type { ApiParts } from '../http/parts.ts';
import { collectionRoutes, inNamespace } from '../http/v2-collection.ts';
import { definitionCollection } from './v2.ts';

/** Assets, which are stored and told to agents of the newer generation: they fetch and verify them by themselves. */
export function v2AssetRoutes(app: FastifyInstance, parts: ApiParts): void {
  const collection = definitionCollection(parts, {
    kind: 'assets',
    fieldRoot: 'asset',
    schema: v2AssetSchema,
    configured: () => [],
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);
}
