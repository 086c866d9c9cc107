import type { FastifyInstance } from 'fastify';
import { coreNamespaceSchema, type CoreNamespace } from '../../../../shared/schemas/core/namespace.ts';
import { seesNamespace } from '../access.ts';
import type { ApiParts } from '../parts.ts';
import { validator } from '../json-body.ts';
import { collectionRoutes, type Collection } from './collection.ts';
import { behind } from './object-list.ts';

const parse = validator(coreNamespaceSchema);

/** Namespaces, which are objects of their own (reference 2.7). */
export function namespaceRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { namespaces, registry } = parts;
  const collection: Collection<CoreNamespace> = {
    type: 'namespaces',
    fieldRoot: 'namespace',
    keyParts: ['namespace'],
    isClusterWide: true,
    access: { read: 'read', write: 'admin', remove: 'admin' },
    parse,
    namespaceOf: () => undefined,
    place: ({ name }) => ({ name }),
    keyOf,
    labelsOf: () => ({}),
    list: (_none, after) => [behind(registry.declared.names().map(namespaceOf), after, keyOf)],
    get: (_none, [name = '']) => (registry.declared.has(name) ? namespaceOf(name) : undefined),
    write: async (_none, [name = ''], change, actor) => {
      await namespaces.put(name, (isThere) => void change(isThere ? namespaceOf(name) : undefined), actor);
      return namespaceOf(name);
    },
    remove: (_none, [name = ''], check, actor) => namespaces.remove(name, () => check(namespaceOf(name)), actor),
    isVisible: ({ name }, principal) => seesNamespace(principal, name),
  };
  collectionRoutes(app, parts, collection);
}

function keyOf({ name }: CoreNamespace): readonly [string] {
  return [name];
}

function namespaceOf(name: string): CoreNamespace {
  return { name };
}
