import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySeeNamespace } from '../access/principal.ts';
import { readQueryNamespace } from '../http/query.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { refuseUnknownNamespace } from './unknown-namespace.ts';

/** The dependencies of functions that look up the namespace that a request is for. */
export interface NamespaceDependencies {
  readonly registry: Registry;
}

/**
 * Returns the namespace that a request is for: `default` in the v1 API, the query parameter `namespace` in the mon API.
 */
export type NamespaceOf = (request: Pick<FastifyRequest, 'url'>, deps: NamespaceDependencies) => Namespace;

/**
 * Returns the namespace `default`, which all requests of the v1 API use. Call it for each request, because the registry
 * replaces its namespace objects when it reloads the store.
 */
export const v1Namespace: NamespaceOf = (_request, { registry }) => registry.namespace(DEFAULT_NAMESPACE);

/**
 * Returns the namespace that a request of the mon API names. Call it for each request, because the registry replaces
 * its namespace objects when it reloads the store.
 *
 * @throws MonError `not_found` if the namespace does not exist, `invalid` if all namespaces are requested
 */
export const requestedNamespace: NamespaceOf = (request, { registry }) => {
  const name = readQueryNamespace(request);
  if (name === EVERY_NAMESPACE) {
    throw new MonError('invalid', `namespace: ${EVERY_NAMESPACE} is only allowed in lists: set a single namespace`);
  }
  refuseUnknownNamespace(registry, name);
  return registry.namespace(name);
};

/** The namespaces that a list request is for. */
export interface RequestedNamespaces {
  /** The namespaces, sorted by name. */
  readonly namespaces: readonly Namespace[];
  /**
   * Returns an item as it is listed: with the name of its namespace if all namespaces are requested, otherwise
   * unchanged.
   */
  readonly withNamespaceName: <Item extends object>(item: Item, namespace: string) => Item;
  /** True if all namespaces are requested, so that each item contains the name of its namespace. */
  readonly isOfMany: boolean;
}

/**
 * Returns the namespace that a list request names or, if it requests all, every namespace that the caller is allowed to
 * see.
 *
 * @throws MonError `not_found` if the namespace does not exist
 */
export function requestedNamespaces(
  request: Pick<FastifyRequest, 'url' | 'principal'>,
  deps: NamespaceDependencies,
): RequestedNamespaces {
  if (readQueryNamespace(request) !== EVERY_NAMESPACE) {
    return { namespaces: [requestedNamespace(request, deps)], withNamespaceName: (item) => item, isOfMany: false };
  }
  const { registry } = deps;
  // All declared namespaces are listed, because even a namespace without state in memory can have check definitions.
  const seen = registry.declared.names().filter((name) => maySeeNamespace(request.principal, name));
  return {
    namespaces: seen.map((name) => registry.namespace(name)),
    withNamespaceName: (item, namespace) => ({ namespace, ...item }),
    isOfMany: true,
  };
}

/** An entry of a list, with the namespace to which it belongs. */
export interface NamespacedEntry<Entry> {
  readonly namespace: Namespace;
  readonly entry: Entry;
}

/**
 * Returns the entries of all requested namespaces, each with its namespace.
 *
 * @param list callback that returns the entries of one namespace
 */
export function entriesOf<Entry>(
  { namespaces }: RequestedNamespaces,
  list: (namespace: Namespace) => readonly Entry[],
): NamespacedEntry<Entry>[] {
  return namespaces.flatMap((namespace) => list(namespace).map((entry) => ({ namespace, entry })));
}
