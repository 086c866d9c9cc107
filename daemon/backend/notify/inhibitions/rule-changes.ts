import { buildEvent } from '../../../../shared/domain/build-event.ts';
import type { InhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import { CLIENTS } from '../../model/clients/storage.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { CHECK_RECORDS } from '../../model/events/storage.ts';
import { notifyRulesChanged } from '../notifications.ts';
import type { Occurrence } from '../occurrence.ts';
import type { EventKey } from '../silence-ends/commands.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { recordInhibitor } from '../../model/notify/inhibitions/mutations.ts';
import { inhibitorsOf, openSettledRules } from '../../model/notify/inhibitions/state.ts';
import { INHIBITORS, SETTLED_RULES } from '../../model/notify/inhibitions/storage.ts';

/** The key of an inhibitor record. */
export type InhibitorKey = readonly [namespace: string, rule: string, client: string, check: string];

/** The changes of open events after the inhibition rules changed, one chunk per commit. */
export class RuleChanges {
  readonly #batcher: Pick<Batcher, 'run'>;

  constructor(batcher: Pick<Batcher, 'run'>) {
    this.#batcher = batcher;
  }

  /**
   * Removes the inhibitor records of these events for rules that are no longer in force.
   *
   * @param inForce the fingerprints of the current rules
   */
  forget(keys: readonly InhibitorKey[], inForce: ReadonlySet<string>): Promise<void> {
    return this.#batcher.run((transaction) => {
      for (const [name, rule, client, check] of keys) {
        const namespace = transaction.registry.findNamespace(name);
        if (namespace === undefined) continue;
        const noted = inhibitorsOf(namespace).of(client, check).get(rule);
        if (noted !== undefined && !inForce.has(noted.fingerprint)) transaction.remove(INHIBITORS, namespace, noted);
      }
    });
  }

  /** Records which of these events inhibit others. */
  note(keys: readonly EventKey[], rules: readonly InhibitionRule[]): Promise<void> {
    return this.#onOpen(keys, (transaction, { client, ...occurrence }) => {
      const record = transaction.body(CLIENTS, client);
      const event = buildEvent({ ...occurrence, client: record, silencedBy: [] });
      recordInhibitor(transaction, client.namespace, rules, event);
    });
  }

  /**
   * Judges these events again. An event that was inhibited and matches no rule any more is notified in the same commit.
   */
  judge(keys: readonly EventKey[]): Promise<void> {
    return this.#onOpen(keys, (transaction, occurrence, entry) => {
      const { state } = entry;
      notifyRulesChanged(transaction, occurrence);
      if (entry.state !== state) transaction.keep(CHECK_RECORDS, entry, transaction.body(CHECK_RECORDS, entry));
    });
  }

  /** Records that all open events have been evaluated against rules with these fingerprints. */
  settle(fingerprints: readonly string[]): Promise<void> {
    return this.#batcher.run((transaction) => {
      transaction.registry.state(openSettledRules).fingerprints = fingerprints;
      transaction.putLatest(SETTLED_RULES, transaction.registry, 'fingerprints');
    });
  }

  #onOpen(
    keys: readonly EventKey[],
    work: (transaction: Transaction, occurrence: Occurrence, entry: CheckEntry) => void,
  ): Promise<void> {
    const entriesOf = (registry: Registry): CheckEntry[] =>
      keys.flatMap(([namespace, client, check]) => registry.findNamespace(namespace)?.check(client, check) ?? []);
    return this.#batcher.run(
      (transaction) => {
        for (const entry of entriesOf(transaction.registry)) {
          const { client, state } = entry;
          // An event that came in with the same batch was judged by its own result.
          if (state.event === undefined || !transaction.hasBody(CHECK_RECORDS, entry)) continue;
          if (!transaction.hasBody(CLIENTS, client)) continue;
          const bodies = transaction.body(CHECK_RECORDS, entry);
          const check = bodies.eventCheck ?? bodies.check;
          if (check === null) continue;
          const history = bodies.eventHistory ?? state.history;
          work(transaction, { client, check, state: state.event, history }, entry);
        }
      },
      { weight: keys.length, needs: entriesOf },
    );
  }
}
