import type { Clients } from './commands.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines, type DeadlineDependencies } from '../schedule/run-deadlines.ts';

interface ExpiryDependencies extends DeadlineDependencies {
  readonly registry: Registry;
  readonly clients: Pick<Clients, 'removeExpiredBan'>;
}

/**
 * Removes the bans and the tombstones (records of the deletion) of deleted clients when they expire, to free memory and
 * disk. Readers check the expiry times themselves, so a late removal does no harm.
 */
export function expireBans(parts: ExpiryDependencies): Disposable {
  const { registry, clients } = parts;
  return runDeadlines(parts, {
    failure: 'end of the block of a deleted client could not be written',

    *atStart() {
      for (const namespace of registry.namespaces()) {
        const names = new Set([...namespace.tombstones.keys(), ...namespace.invalidated.keys()]);
        for (const name of names) yield* deadlinesOf(namespace, name);
      }
    },

    *after(change) {
      if (change[0] === 'client') yield* deadlinesOf(registry.namespace(change[1]), change[2]);
    },

    run(id) {
      const [namespaceName, name] = JSON.parse(id) as [string, string];
      const { tombstones, invalidated } = registry.namespace(namespaceName);
      return tombstones.has(name) || invalidated.has(name) ? clients.removeExpiredBan(namespaceName, name) : undefined;
    },
  });
}

function* deadlinesOf(
  { name: namespace, tombstones, invalidated }: Namespace,
  client: string,
): Generator<Deadline, void, undefined> {
  const id = JSON.stringify([namespace, client]);
  for (const atMs of [tombstones.get(client)?.untilMs, invalidated.get(client)]) {
    if (atMs !== undefined) yield { atMs, id };
  }
}
