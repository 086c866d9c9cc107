import type { FastifyInstance } from 'fastify';
import { v2HandlerOf } from '../../../shared/domain/v2/handler.ts';
import { v2HandlerSchema } from '../../../shared/schemas/v2/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { collectionRoutes, inNamespace } from '../http/v2-collection.ts';
import { definitionCollection } from './v2.ts';

/** Handlers that are made over the API, beside those of the configuration. */
export function v2HandlerRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'handlers',
    fieldRoot: 'handler',
    schema: v2HandlerSchema,
    configured: () =>
      [...definitions.configured('handlers')].map(([name, handler]) => v2HandlerOf(DEFAULT_NAMESPACE, name, handler)),
    place: inNamespace,
    isRunByBackend: true,
  });
  collectionRoutes(app, parts, collection);
}
