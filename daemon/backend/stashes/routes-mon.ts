import type { StashView } from '../../../shared/schemas/stash.ts';
import { sendList } from '../http/list.ts';
import type { MonHandlers } from '../http/route.ts';
import {
  requestedNamespace,
  requestedNamespaces,
  entriesOf,
  type NamespacedEntry,
} from '../namespaces/request-namespaces.ts';
import { stashHandlers, type StashDependencies } from './members.ts';
import { unexpiredStashes, readStashes } from './queries.ts';

/** Serves stashes in the mon API, from one namespace or from all namespaces that the caller is allowed to see. */
export function stashesOnMon(deps: StashDependencies): MonHandlers<'stashes' | 'stash' | 'saveStash' | 'deleteStash'> {
  const { clock, store } = deps;
  return {
    stashes: (request, reply) => {
      const requested = requestedNamespaces(request, deps);
      const entries = entriesOf(requested, (namespace) => unexpiredStashes(namespace, clock.now()));
      const read = async ({ namespace, entry }: NamespacedEntry<{ readonly path: string }>): Promise<StashView[]> =>
        (await readStashes(store, namespace, [entry], clock.now())).map((stash) =>
          requested.withNamespaceName(stash, namespace.name),
        );
      return sendList(request, reply, entries, async (some) => (await Promise.all(some.map(read))).flat());
    },
    ...stashHandlers(deps, requestedNamespace),
  };
}
