import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { newStashPathSchema, stashContentSchema } from '../../../shared/schemas/stash.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { STASH_DEPTH_MAX } from '../http/limits.ts';
import { sendList } from '../http/list.ts';
import type { Handler, V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { stashHandlers, stashPath, type StashDependencies } from './members.ts';
import { unexpiredStashes, readStashes } from './queries.ts';

const validateContent = schemaValidator(stashContentSchema);
const validateNewPath = schemaValidator(newStashPathSchema);

/** Serves stashes in the v1 API: small JSON documents that other programs store under a path (completion 1.6). */
export function stashesOnV1(
  deps: StashDependencies,
): V1Handlers<
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
  const one = stashHandlers(deps, v1Namespace);
  const saveStashAt: Handler = async (request) => {
    const path = validateNewPath(stashPath(request));
    await stashes.put(DEFAULT_NAMESPACE, { path, content: readBody(request, validateContent, STASH_DEPTH_MAX) });
    return { path };
  };
  return {
    stashes: (request, reply) => {
      const namespace = v1Namespace(request, deps);
      return sendList(request, reply, unexpiredStashes(namespace, clock.now()), (some) =>
        readStashes(store, namespace, some, clock.now()),
      );
    },
    ...one,
    saveStashAt,
    // Some client programs use the path `/stash` instead of `/stashes` (clients 1.16).
    stashAgain: one.stash,
    saveStashAgain: saveStashAt,
    deleteStashAgain: one.deleteStash,
  };
}
