import type { FastifyRequest } from 'fastify';
import type { Namespace } from '../registry/namespace.ts';
import { askedNamespace } from './asked-namespace.ts';
import { v1Namespace, type ApiParts } from './parts.ts';
import { inNamespace, inNamespaceUnlessOpen, needs, needsUnlessOpen } from './route.ts';

/** Where the same routes are served: at `/` for `default` alone, and at ours for the namespace that the query names. */
export interface Face {
  /** Pattern that the routes begin with. */
  readonly path: string;
  readonly namespaceOf: (request: Pick<FastifyRequest, 'url'>) => Namespace;
  readonly needs: typeof needs;
  readonly needsUnlessOpen: typeof needsUnlessOpen;
}

export function v1Face(path: string, parts: Pick<ApiParts, 'registry'>): Face {
  return { path, namespaceOf: () => v1Namespace(parts), needs, needsUnlessOpen };
}

/** @param path as at `/` */
export function monFace(path: string, parts: Pick<ApiParts, 'registry'>): Face {
  return {
    path: `/api/mon/v1${path}`,
    namespaceOf: (request) => askedNamespace(request, parts),
    needs: inNamespace,
    needsUnlessOpen: inNamespaceUnlessOpen,
  };
}
