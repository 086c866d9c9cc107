import type { Stashes } from './commands.ts';
import type { Registry } from '../model/registry/registry.ts';
import { stashesOf, type StashEntry } from '../model/stashes/state.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines, type DeadlineDependencies } from '../schedule/run-deadlines.ts';

interface ExpiryDependencies extends DeadlineDependencies {
  readonly registry: Registry;
  readonly stashes: Pick<Stashes, 'expire'>;
}

/** Deletes stashes when they expire. Reads do not depend on this timer, because they omit expired stashes. */
export function expireStashes(parts: ExpiryDependencies): Disposable {
  const { registry, stashes } = parts;
  return runDeadlines(parts, {
    failure: 'expired stash could not be removed',

    *atStart() {
      for (const namespace of registry.namespaces()) {
        for (const stash of stashesOf(namespace).all()) yield* deadlineOf(namespace.name, stash);
      }
    },

    *after(change) {
      if (change[0] !== 'stash') return;
      const [, namespace, path] = change;
      const stash = stashesOf(registry.namespace(namespace)).get(path);
      if (stash !== undefined) yield* deadlineOf(namespace, stash);
    },

    run(id) {
      const [namespaceName, path] = JSON.parse(id) as [string, string];
      if (stashesOf(registry.namespace(namespaceName)).get(path) === undefined) return undefined;
      return stashes.expire(namespaceName, path);
    },
  });
}

function* deadlineOf(namespace: string, { path, expireAtMs: atMs }: StashEntry): Generator<Deadline, void, undefined> {
  if (atMs !== null) yield { atMs, id: JSON.stringify([namespace, path]) };
}
