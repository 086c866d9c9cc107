import type { FastifyInstance } from 'fastify';
import { v2MutatorOf } from '../../../shared/domain/v2/mutator.ts';
import { v2MutatorSchema } from '../../../shared/schemas/v2/mutator.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { collectionRoutes, inNamespace } from '../http/v2-collection.ts';
import { definitionCollection } from './v2.ts';

/** Mutators that are made over the API, beside those of the configuration. */
export function v2MutatorRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'mutators',
    fieldRoot: 'mutator',
    schema: v2MutatorSchema,
    configured: () =>
      [...definitions.configured('mutators')].map(([name, mutator]) => v2MutatorOf(DEFAULT_NAMESPACE, name, mutator)),
    place: inNamespace,
    isRunByBackend: true,
  });
  collectionRoutes(app, parts, collection);
}
