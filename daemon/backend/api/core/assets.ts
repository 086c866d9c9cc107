import type { FastifyInstance } from 'fastify';
import { coreAssetSchema } from '../../../../shared/schemas/core/asset.ts';
import type { ApiParts } from '../parts.ts';
import { collectionRoutes, inNamespace } from './collection.ts';
import { definitionCollection } from './definitions.ts';

/** Assets, which are stored and told to agents of the newer generation: they fetch and verify them by themselves. */
export function coreAssetRoutes(app: FastifyInstance, parts: ApiParts): void {
  const collection = definitionCollection(parts, {
    kind: 'assets',
    fieldRoot: 'asset',
    schema: coreAssetSchema,
    configured: () => [],
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);
}
