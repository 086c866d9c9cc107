import type { FastifyInstance } from 'fastify';
import { coreFilterOf } from '../../../../shared/domain/core/filter.ts';
import { coreFilterSchema } from '../../../../shared/schemas/core/filter.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../parts.ts';
import { collectionRoutes, inNamespace } from './collection.ts';
import { definitionCollection } from './definitions.ts';

/** Filters that are made over the API, beside those of the configuration. */
export function coreFilterRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'filters',
    fieldRoot: 'filter',
    schema: coreFilterSchema,
    configured: () =>
      [...definitions.configured('filters')].map(([name, filter]) => coreFilterOf(DEFAULT_NAMESPACE, name, filter)),
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);
}
