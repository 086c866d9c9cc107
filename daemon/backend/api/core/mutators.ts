import type { FastifyInstance } from 'fastify';
import { coreMutatorOf } from '../../../../shared/domain/core/mutator.ts';
import { coreMutatorSchema } from '../../../../shared/schemas/core/mutator.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { ApiParts } from '../parts.ts';
import { collectionRoutes, inNamespace } from './collection.ts';
import { definitionCollection } from './definitions.ts';

/** Mutators that are made over the API, beside those of the configuration. */
export function coreMutatorRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitions } = parts.config;
  const collection = definitionCollection(parts, {
    kind: 'mutators',
    fieldRoot: 'mutator',
    schema: coreMutatorSchema,
    configured: () =>
      [...definitions.configured('mutators')].map(([name, mutator]) => coreMutatorOf(DEFAULT_NAMESPACE, name, mutator)),
    place: inNamespace,
    isRunByBackend: true,
  });
  collectionRoutes(app, parts, collection);
}
