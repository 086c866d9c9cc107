import { isExpired } from '../../../shared/domain/expiry.ts';
import { reminderAt } from '../../../shared/domain/silence-reminder.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { PlanningClock } from '../ports.ts';
import { eventsSilencedBy } from '../model/registry/silenced-events.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines } from '../schedule/run-deadlines.ts';
import { renewSilenced } from '../model/silences/mutations.ts';
import { silencedChangeOf, idOfChange } from '../model/silences/state.ts';

interface ReminderDependencies {
  readonly registry: Registry;
  readonly batcher: Pick<Batcher, 'run' | 'commits'>;
  readonly clock: PlanningClock;
  readonly log: Log;
  /**
   * Returns for how many seconds before the end of a silence its reminder is sent. It is called for each use, because a
   * configuration reload can change the number.
   */
  readonly before: () => number;
  /**
   * Callback that notifies the configured handler. It runs in the transaction that records the reminder in the silence.
   */
  readonly notify: (transaction: Transaction, namespace: Namespace, entry: SilencedEntry) => void;
}

/**
 * Sends a reminder before a silence ends, if it currently silences an open event. The reminder is recorded in the
 * silence, so that there is only one reminder per end, even after a restart.
 */
export function remindOfEnds({ registry, batcher, clock, log, before, notify }: ReminderDependencies): Disposable {
  return runDeadlines(
    { commits: batcher.commits, clock, log },
    {
      failure: 'reminder of a silence could not be sent',

      *atStart() {
        for (const namespace of registry.namespaces()) {
          for (const entry of namespace.silenced.all()) yield* deadlineOf(namespace.name, entry);
        }
      },

      *after(change) {
        if (change[0] !== 'silenced') return;
        const [, namespace] = change;
        const entry = registry.namespace(namespace).silenced.get(idOfChange(change));
        if (entry !== undefined) yield* deadlineOf(namespace, entry);
      },

      run(id) {
        const [namespaceName, entryId] = JSON.parse(id) as [string, string];
        const entry = registry.namespace(namespaceName).silenced.get(entryId);
        return entry !== undefined && isDue(entry, clock.now()) ? remind(namespaceName, entryId) : undefined;
      },
    },
  );

  function* deadlineOf(namespace: string, entry: SilencedEntry): Generator<Deadline, void, undefined> {
    const atMs = reminderAt(entry, before());
    if (atMs !== undefined && !isExpired(entry, clock.now())) yield { atMs, id: JSON.stringify([namespace, entry.id]) };
  }

  /**
   * True if the reminder of a silence is due. It is checked again before sending, because the end of the silence can
   * have changed.
   */
  function isDue(entry: SilencedEntry, nowMs: number): boolean {
    const atMs = reminderAt(entry, before());
    return atMs !== undefined && atMs <= nowMs && !isExpired(entry, nowMs);
  }

  function remind(namespaceName: string, id: string): Promise<void> {
    return batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const entry = namespace.silenced.get(id);
      if (entry === undefined || !isDue(entry, transaction.nowMs)) return;
      const events = [...eventsSilencedBy(namespace, silencedChangeOf(namespaceName, entry))].length;
      if (events === 0) return;
      const noted = { ...entry, reminder_sent: { at: transaction.now, events } };
      renewSilenced(transaction, namespace, noted);
      notify(transaction, namespace, noted);
    });
  }
}
