import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySee } from '../access/principal.ts';
import { namespaceIn } from '../http/query.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { refuseUnknownNamespace } from './unknown.ts';

/** What is asked for a namespace. */
export interface NamespaceDeps {
  readonly registry: Registry;
}

/** The namespace that a request is about: on the wire of v1 always `default`, on ours the one that the query names. */
export type NamespaceOf = (request: Pick<FastifyRequest, 'url'>, deps: NamespaceDeps) => Namespace;

/** What version 1 shows. Ask again for each request: the registry replaces it when it reads the store again. */
export const v1Namespace: NamespaceOf = (_request, { registry }) => registry.namespace(DEFAULT_NAMESPACE);

/**
 * The namespace that a request is about. Ask again for each request: the registry replaces it when it reads the store again.
 *
 * @throws MonError `not_found`; `invalid` where all are asked for
 */
export const askedNamespace: NamespaceOf = (request, { registry }) => {
  const name = namespaceIn(request);
  if (name === EVERY_NAMESPACE) {
    throw new MonError('invalid', `namespace: ${EVERY_NAMESPACE} is only for lists: name one namespace`);
  }
  refuseUnknownNamespace(registry, name);
  return registry.namespace(name);
};

/** The namespaces of a list. */
export interface AskedNamespaces {
  /** In the order of their names. */
  readonly namespaces: readonly Namespace[];
  /** An item as it is shown: among those of many it says where it is. */
  readonly placed: <Item extends object>(item: Item, namespace: string) => Item;
  /** Whether items are shown so. */
  readonly isOfMany: boolean;
}

/**
 * The namespace that a list is about, or all that the caller may see.
 *
 * @throws MonError `not_found`
 */
export function askedNamespaces(
  request: Pick<FastifyRequest, 'url' | 'principal'>,
  deps: NamespaceDeps,
): AskedNamespaces {
  if (namespaceIn(request) !== EVERY_NAMESPACE) {
    return { namespaces: [askedNamespace(request, deps)], placed: (item) => item, isOfMany: false };
  }
  const { registry } = deps;
  // Not those that hold something: checks are not held there.
  const seen = registry.declared.names().filter((name) => maySee(request.principal, name));
  return {
    namespaces: seen.map((name) => registry.namespace(name)),
    placed: (item, namespace) => ({ namespace, ...item }),
    isOfMany: true,
  };
}

/** An entry of a list that does not know its namespace itself. */
export interface Placed<Entry> {
  readonly namespace: Namespace;
  readonly entry: Entry;
}

/** The entries of all the namespaces. */
export function entriesOf<Entry>(
  { namespaces }: AskedNamespaces,
  list: (namespace: Namespace) => readonly Entry[],
): Placed<Entry>[] {
  return namespaces.flatMap((namespace) => list(namespace).map((entry) => ({ namespace, entry })));
}
