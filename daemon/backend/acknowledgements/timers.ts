import type { Acknowledgements } from './commands.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines, type DeadlineDependencies } from '../schedule/run-deadlines.ts';

interface ExpiryDependencies extends DeadlineDependencies {
  readonly registry: Registry;
  readonly acknowledgements: Pick<Acknowledgements, 'expire'>;
}

/** Ends acknowledgements at their deadlines. Handlers are then notified again of the events. */
export function expireAcknowledgements(parts: ExpiryDependencies): Disposable {
  const { registry, acknowledgements } = parts;
  return runDeadlines(parts, {
    failure: 'an acknowledgement that expired could not be removed',

    *atStart() {
      for (const { acknowledged } of registry.namespaces()) {
        for (const entry of acknowledged.all()) yield* deadlineOf(entry);
      }
    },

    *after(change) {
      if (change[0] !== 'event') return;
      const [, namespace, client, check] = change;
      const entry = registry.findNamespace(namespace)?.check(client, check);
      if (entry !== undefined) yield* deadlineOf(entry);
    },

    run(id) {
      const [namespace, client, check] = JSON.parse(id) as [string, string, string];
      const entry = registry.findNamespace(namespace)?.check(client, check);
      return entry?.state.event?.acknowledgement === undefined
        ? undefined
        : acknowledgements.expire(namespace, { client, check });
    },
  });
}

function* deadlineOf({ client, name, state }: CheckEntry): Generator<Deadline, void, undefined> {
  const until = state.event?.acknowledgement?.until;
  if (until !== undefined) yield { atMs: until * 1000, id: JSON.stringify([client.namespace.name, client.name, name]) };
}
