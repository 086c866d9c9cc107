import type { FastifyInstance } from 'fastify';
import { coreHandlerOf } from '../../../../shared/domain/core/handler.ts';
import { coreHandlerSchema } from '../../../../shared/schemas/core/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../parts.ts';
import { collectionRoutes, inNamespace } from './collection.ts';
import { definitionCollection } from './definitions.ts';

/** Handlers that are made over the API, beside those of the configuration. */
export function coreHandlerRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'handlers',
    fieldRoot: 'handler',
    schema: coreHandlerSchema,
    configured: () =>
      [...definitions.configured('handlers')].map(([name, handler]) => coreHandlerOf(DEFAULT_NAMESPACE, name, handler)),
    place: inNamespace,
    isRunByBackend: true,
  });
  collectionRoutes(app, parts, collection);
}
