import type { CheckEntry } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import type { Batcher } from '../commit/batcher.ts';
import { handleSilenceEnd } from './handle-event.ts';
import type { Transaction } from '../commit/transaction.ts';
import { saveUnsuppressed } from '../events/saved.ts';
import { CHECK_RECORDS } from '../events/table.ts';

/** Where an event is. By name, because the registry may be read again before it is looked at. */
export type EventPlace = readonly [namespace: string, client: string, check: string];

/** Handling of events whose silences are over. */
export class UnsilencedEvents {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Handles each of these events that silences kept from handlers and nothing silences any more. In the same commit it
   * is forgotten that anything was kept back, so that it happens once; not of one that waits for its next result
   * anyhow.
   *
   * @throws MonError `unavailable`
   */
  handle(places: readonly EventPlace[]): Promise<void> {
    const entriesOf = (registry: Registry): CheckEntry[] =>
      places.flatMap(([namespace, client, check]) => registry.namespace(namespace).check(client, check) ?? []);
    return this.#batcher.run(
      (transaction) => {
        for (const entry of entriesOf(transaction.registry)) {
          handleIfUnsilenced(transaction, entry);
        }
      },
      { weight: places.length, needs: entriesOf },
    );
  }
}

/** Whether silences kept the open event of a check from handlers, and nothing silences it any more. */
export function isUnsilenced(entry: CheckEntry, nowMs: number): boolean {
  return entry.state.event?.isSuppressed === true && !entry.isSilenced(nowMs);
}

/** The same for one event, whose bodies and client the command must have asked for. */
export function handleIfUnsilenced(transaction: Transaction, entry: CheckEntry): void {
  if (!isUnsilenced(entry, transaction.nowMs)) return;
  const { client, state } = entry;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event !== undefined && check !== null && transaction.handling.handlesSilenceEnds()) {
    const history = bodies.eventHistory ?? state.history;
    if (!handleSilenceEnd(transaction, { client, check, state: state.event, history })) return;
  }
  saveUnsuppressed(transaction, entry);
}
