import type { CheckEntry } from '../../registry/namespace.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Batcher } from '../../commit/batcher.ts';
import { handleSilenceEnd } from '../pipeline.ts';
import type { Transaction } from '../../commit/transaction.ts';
import { saveUnsuppressed } from '../../events/saved.ts';
import { CHECK_RECORDS } from '../../events/table.ts';

/** The key of an event. It consists of names, because the registry may be reloaded before the event is handled. */
export type EventPlace = readonly [namespace: string, client: string, check: string];

/** The handling of events whose silences have ended. */
export class UnsilencedEvents {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Handles those of these events that silences suppressed and that are no longer silenced. The same commit clears
   * `isSuppressed`, so that each is handled once. An event that waits for its next result anyway keeps it.
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

/** True if silences suppressed the open event of a check, and nothing silences it any more. */
export function isUnsilenced(entry: CheckEntry, nowMs: number): boolean {
  return entry.state.event?.isSuppressed === true && !entry.isSilenced(nowMs);
}

/** Handles one event if it is unsilenced. The command must have requested its bodies and client. */
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
