import type { FastifyInstance } from 'fastify';
import { v2FilterOf } from '../../../shared/domain/v2/filter.ts';
import { v2FilterSchema } from '../../../shared/schemas/v2/filter.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { collectionRoutes, inNamespace } from '../http/v2-collection.ts';
import { definitionCollection } from './v2.ts';

/** Filters that are made over the API, beside those of the configuration. */
export function v2FilterRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'filters',
    fieldRoot: 'filter',
    schema: v2FilterSchema,
    configured: () =>
      [...definitions.configured('filters')].map(([name, filter]) => v2FilterOf(DEFAULT_NAMESPACE, name, filter)),
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);
}
