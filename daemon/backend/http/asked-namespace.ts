import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySee } from '../access/principal.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { ApiParts } from './parts.ts';
import { queryOf } from './query.ts';

/** The namespace that the query names: `default` unless told, `*` for all of them. */
export function namespaceIn(request: Pick<FastifyRequest, 'url'>): string {
  return queryOf(request).getAll('namespace').at(-1) || DEFAULT_NAMESPACE;
}

/**
 * The namespace that a request is about. Ask again for each request: the registry replaces it when it reads the store again.
 *
 * @throws MonError `not_found`; `invalid` where all are asked for
 */
export function askedNamespace(
  request: Pick<FastifyRequest, 'url'>,
  { registry }: Pick<ApiParts, 'registry'>,
): Namespace {
  const name = namespaceIn(request);
  if (name === EVERY_NAMESPACE) {
    throw new MonError('invalid', `namespace: ${EVERY_NAMESPACE} is for lists, name one here`);
  }
  refuseUnknownNamespace(registry, name);
  return registry.namespace(name);
}

/** The namespaces of a list. */
export interface AskedNamespaces {
  /** In the order of their names. */
  readonly namespaces: readonly Namespace[];
  /** An item as it is shown: among those of many it says where it is. */
  readonly placed: <Item extends object>(item: Item, namespace: string) => Item;
}

/**
 * The namespace that a list is about, or all that the caller may see.
 *
 * @throws MonError `not_found`
 */
export function askedNamespaces(
  request: Pick<FastifyRequest, 'url' | 'principal'>,
  parts: Pick<ApiParts, 'registry'>,
): AskedNamespaces {
  if (namespaceIn(request) !== EVERY_NAMESPACE) {
    return { namespaces: [askedNamespace(request, parts)], placed: (item) => item };
  }
  const { registry } = parts;
  // Not those that hold something: checks are not held there.
  const seen = registry.declared.names().filter((name) => maySee(request.principal, name));
  return {
    namespaces: seen.map((name) => registry.namespace(name)),
    placed: (item, namespace) => ({ namespace, ...item }),
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
