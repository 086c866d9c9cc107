import type { FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { newStashPathSchema, stashContentSchema, stashPathSchema, stashSchema } from '../../../shared/schemas/stash.ts';
import { livingStashes, readStashes } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { STASH_DEPTH_MAX } from '../http/limits.ts';
import { sendList } from '../http/list.ts';
import type { OnV1 } from '../http/route.ts';
import { v1Namespace, type NamespaceDeps } from '../namespaces/asked.ts';
import type { Clock, Store } from '../ports.ts';
import type { Stashes } from './write.ts';

const validateStash = validator(stashSchema);
const validateContent = validator(stashContentSchema);
const validatePath = validator(stashPathSchema);
const validateNewPath = validator(newStashPathSchema);

interface StashDeps extends NamespaceDeps {
  readonly clock: Clock;
  readonly stashes: Stashes;
  readonly store: Store;
}

/** Small documents under a path (completion 1.6). */
export function stashesOnV1(
  deps: StashDeps,
): OnV1<
  | 'stashes'
  | 'saveStash'
  | 'stash'
  | 'saveStashAt'
  | 'deleteStash'
  | 'stashAgain'
  | 'saveStashAgain'
  | 'deleteStashAgain'
> {
  const { clock, stashes, store } = deps;
  const one: OnV1<'stash' | 'saveStashAt' | 'deleteStash'> = {
    stash: async (request) => {
      const path = stashPath(request);
      const [stash] = await readStashes(store, v1Namespace(request, deps), [{ path }], clock.now());
      if (stash === undefined) throw new MonError('not_found', `there is no stash ${path}`);
      return stash.content;
    },
    saveStashAt: async (request) => {
      const path = validateNewPath(stashPath(request));
      await stashes.put(DEFAULT_NAMESPACE, { path, content: readBody(request, validateContent, STASH_DEPTH_MAX) });
      return { path };
    },
    deleteStash: async (request, reply) => {
      await stashes.remove(DEFAULT_NAMESPACE, stashPath(request), actorOf(request));
      return reply.send();
    },
  };
  return {
    stashes: (request, reply) => {
      const namespace = v1Namespace(request, deps);
      return sendList(request, reply, livingStashes(namespace, clock.now()), (some) =>
        readStashes(store, namespace, some, clock.now()),
      );
    },
    saveStash: async (request) => {
      const { path, content, expire } = readBody(request, validateStash, STASH_DEPTH_MAX);
      await stashes.put(DEFAULT_NAMESPACE, { path, content, expireSeconds: expire });
      return { path };
    },
    ...one,
    // Both names are in use (clients 1.16).
    stashAgain: one.stash,
    saveStashAgain: one.saveStashAt,
    deleteStashAgain: one.deleteStash,
  };
}

/** Everything behind the prefix, decoded once: slashes belong to it, and it may be empty (legacy-peer, Stashes). */
function stashPath(request: FastifyRequest): string {
  return validatePath((request.params as Readonly<Record<'*', string>>)['*']);
}
