import { buildEvent } from '../../../../shared/domain/build-event.ts';
import type { InhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import { CLIENTS } from '../../model/clients/storage.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { CHECK_RECORDS } from '../../model/events/storage.ts';
import { notifyAfterRuleChange } from '../notifications.ts';
import type { Occurrence } from '../event-occurrence.ts';
import type { EventKey } from '../event-queue.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { updateInhibitorRecords } from '../../model/notify/inhibitions/mutations.ts';
import { inhibitorsOf, createEvaluatedInhibitionRules } from '../../model/notify/inhibitions/state.ts';
import { INHIBITORS, EVALUATED_INHIBITION_RULES } from '../../model/notify/inhibitions/storage.ts';

/** The key of an inhibitor record: an open event, and the rule under which it inhibits other events. */
export type InhibitorKey = readonly [namespace: string, rule: string, client: string, check: string];

/**
 * Updates inhibitor records and open events after the inhibition rules changed. Each method makes its changes in one
 * commit.
 */
export class InhibitionUpdates {
  readonly #batcher: Pick<Batcher, 'run'>;

  constructor(batcher: Pick<Batcher, 'run'>) {
    this.#batcher = batcher;
  }

  /**
   * Removes the inhibitor records with these keys, except those that were made under a current rule.
   *
   * @param currentFingerprints the fingerprints of the current rules
   */
  removeInhibitors(keys: readonly InhibitorKey[], currentFingerprints: ReadonlySet<string>): Promise<void> {
    return this.#batcher.run((transaction) => {
      for (const [namespaceName, rule, client, check] of keys) {
        const namespace = transaction.registry.findNamespace(namespaceName);
        if (namespace === undefined) continue;
        const recordedInhibitor = inhibitorsOf(namespace).ofEvent(client, check).get(rule);
        if (recordedInhibitor !== undefined && !currentFingerprints.has(recordedInhibitor.fingerprint))
          transaction.remove(INHIBITORS, namespace, recordedInhibitor);
      }
    });
  }

  /**
   * Updates the inhibitor records of these open events: records under which of `rules` each event inhibits other
   * events.
   */
  recordInhibitors(keys: readonly EventKey[], rules: readonly InhibitionRule[]): Promise<void> {
    return this.#updateOpenEvents(keys, (transaction, { client, ...occurrence }) => {
      const clientRecord = transaction.body(CLIENTS, client);
      const event = buildEvent({ ...occurrence, client: clientRecord, silencedBy: [] });
      updateInhibitorRecords(transaction, client.namespace, rules, event);
    });
  }

  /**
   * Evaluates these open events against the current inhibition rules. If an event is no longer inhibited and a
   * notification of it is pending, the same commit notifies its handlers, as after a new result.
   */
  evaluateEvents(keys: readonly EventKey[]): Promise<void> {
    return this.#updateOpenEvents(keys, (transaction, occurrence, entry) => {
      const { state } = entry;
      notifyAfterRuleChange(transaction, occurrence);
      if (entry.state !== state) transaction.writeRecord(CHECK_RECORDS, entry, transaction.body(CHECK_RECORDS, entry));
    });
  }

  /** Records that all open events have been evaluated against the rules with these fingerprints. */
  recordEvaluatedRules(fingerprints: readonly string[]): Promise<void> {
    return this.#batcher.run((transaction) => {
      transaction.registry.state(createEvaluatedInhibitionRules).fingerprints = fingerprints;
      transaction.putLatest(EVALUATED_INHIBITION_RULES, transaction.registry, 'fingerprints');
    });
  }

  #updateOpenEvents(
    keys: readonly EventKey[],
    update: (transaction: Transaction, occurrence: Occurrence, entry: CheckEntry) => void,
  ): Promise<void> {
    const findEntries = (registry: Registry): CheckEntry[] =>
      keys.flatMap(([namespace, client, check]) => registry.findNamespace(namespace)?.check(client, check) ?? []);
    return this.#batcher.run(
      (transaction) => {
        for (const entry of findEntries(transaction.registry)) {
          const { client, state } = entry;
          // Skip an event that has resolved meanwhile, or that opened too late for this batch to read its stored
          // record. The result that resolved or opened the event has already evaluated its inhibition.
          if (state.event === undefined || !transaction.hasBody(CHECK_RECORDS, entry)) continue;
          if (!transaction.hasBody(CLIENTS, client)) continue;
          const bodies = transaction.body(CHECK_RECORDS, entry);
          const check = bodies.eventCheck ?? bodies.check;
          if (check === null) continue;
          const history = bodies.eventHistory ?? state.history;
          update(transaction, { client, check, state: state.event, history }, entry);
        }
      },
      { weight: keys.length, needs: findEntries },
    );
  }
}
