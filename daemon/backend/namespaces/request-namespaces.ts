import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySee } from '../access/principal.ts';
import { namespaceIn } from '../http/query.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { refuseUnknownNamespace } from './unknown-namespace.ts';

/** The dependencies of functions that resolve a namespace. */
export interface NamespaceDeps {
  readonly registry: Registry;
}

/** Returns the namespace of a request: always `default` in v1, in the mon API the one that the query names. */
export type NamespaceOf = (request: Pick<FastifyRequest, 'url'>, deps: NamespaceDeps) => Namespace;

/**
 * Returns the namespace of version 1. Call it for each request, because the registry replaces it when it reads the
 * store again.
 */
export const v1Namespace: NamespaceOf = (_request, { registry }) => registry.namespace(DEFAULT_NAMESPACE);

/**
 * Returns the namespace of a request. Call it for each request, because the registry replaces it when it reads the
 * store again.
 *
 * @throws MonError `not_found`; `invalid` if all are requested
 */
export const requestedNamespace: NamespaceOf = (request, { registry }) => {
  const name = namespaceIn(request);
  if (name === EVERY_NAMESPACE) {
    throw new MonError('invalid', `namespace: ${EVERY_NAMESPACE} is only allowed in lists: set a single namespace`);
  }
  refuseUnknownNamespace(registry, name);
  return registry.namespace(name);
};

/** The namespaces of a list. */
export interface RequestedNamespaces {
  /** The namespaces, sorted by name. */
  readonly namespaces: readonly Namespace[];
  /** Returns an item for display: in a list over many namespaces it contains its namespace. */
  readonly placed: <Item extends object>(item: Item, namespace: string) => Item;
  /** True if items contain their namespace. */
  readonly isOfMany: boolean;
}

/**
 * Returns the namespace of a list, or all that the caller may see.
 *
 * @throws MonError `not_found`
 */
export function requestedNamespaces(
  request: Pick<FastifyRequest, 'url' | 'principal'>,
  deps: NamespaceDeps,
): RequestedNamespaces {
  if (namespaceIn(request) !== EVERY_NAMESPACE) {
    return { namespaces: [requestedNamespace(request, deps)], placed: (item) => item, isOfMany: false };
  }
  const { registry } = deps;
  // The declared namespaces, because checks are not part of the registry of a namespace.
  const seen = registry.declared.names().filter((name) => maySee(request.principal, name));
  return {
    namespaces: seen.map((name) => registry.namespace(name)),
    placed: (item, namespace) => ({ namespace, ...item }),
    isOfMany: true,
  };
}

/** An entry of a list with its namespace. */
export interface Placed<Entry> {
  readonly namespace: Namespace;
  readonly entry: Entry;
}

/** Returns the entries of all these namespaces. */
export function entriesOf<Entry>(
  { namespaces }: RequestedNamespaces,
  list: (namespace: Namespace) => readonly Entry[],
): Placed<Entry>[] {
  return namespaces.flatMap((namespace) => list(namespace).map((entry) => ({ namespace, entry })));
}
