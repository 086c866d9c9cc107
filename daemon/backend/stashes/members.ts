import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { stashPathSchema, stashSchema } from '../../../shared/schemas/stash.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { STASH_DEPTH_MAX } from '../http/limits.ts';
import type { MonHandlers } from '../http/route.ts';
import type { NamespaceDependencies, NamespaceOf } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import { readStashes } from './queries.ts';
import type { Stashes } from './commands.ts';

const validateStash = schemaValidator(stashSchema);
const validatePath = schemaValidator(stashPathSchema);

/** Dependencies of the routes for stashes in the v1 and mon API. */
export interface StashDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly stashes: Stashes;
  readonly store: Store;
}

/** Returns the request handlers that read, store and delete a single stash in the v1 or mon API. */
export function stashHandlers(
  deps: StashDependencies,
  namespaceOf: NamespaceOf,
): MonHandlers<'stash' | 'saveStash' | 'deleteStash'> {
  const { clock, stashes, store } = deps;
  return {
    stash: async (request) => {
      const path = stashPath(request);
      const [stash] = await readStashes(store, namespaceOf(request, deps), [{ path }], clock.now());
      if (stash === undefined) throw new MonError('not_found', `there is no stash ${path}`);
      return stash.content;
    },
    saveStash: async (request) => {
      const { path, content, expire } = readBody(request, validateStash, STASH_DEPTH_MAX);
      await stashes.put(namespaceOf(request, deps).name, { path, content, expireSeconds: expire });
      return { path };
    },
    deleteStash: async (request, reply) => {
      await stashes.remove(namespaceOf(request, deps).name, stashPath(request), actorOf(request));
      return reply.send();
    },
  };
}

/**
 * Returns the decoded path of a stash from the URL of a request. The path can contain slashes (legacy-peer, Stashes).
 * In the v1 API it is the rest of the URL after the route, and can be empty. In the mon API it is one URL segment.
 */
export function stashPath({ params }: FastifyRequest): string {
  const { path, '*': rawPath = path } = params as Readonly<Record<'*' | 'path', string | undefined>>;
  return validatePath(rawPath);
}
