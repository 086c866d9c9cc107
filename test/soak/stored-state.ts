import { expect } from 'vitest';
import { CLIENTS } from '../../daemon/backend/model/clients/storage.ts';
import { decodeCheckRecord } from '../../daemon/backend/model/events/check-record.ts';
import { CHECK_RECORDS } from '../../daemon/backend/model/events/storage.ts';
import type { Store } from '../../daemon/backend/ports.ts';
import { AGENT_SPOOLS } from '../../daemon/backend/model/results/storage.ts';
import type { Ledger } from './writer.ts';

export interface StoredState {
  readonly lastSeq: number;
  /** Sequence numbers of the change records that the store still retains. */
  readonly seqs: readonly number[];
  /** Client and check of each check record whose client does not exist. */
  readonly orphans: readonly unknown[];
  /** Client and check of each check record that has neither a result nor an event. */
  readonly empty: readonly unknown[];
  /** Highest committed result id by agent. */
  readonly marks: ReadonlyMap<string, number>;
}

/** Returns the state in a backend's store, and closes the store. */
export async function readStore(opening: Promise<Store>): Promise<StoredState> {
  const store = await opening;
  try {
    const seqs: number[] = [];
    const watch = await store.watch('main', 0, ({ seq }) => seqs.push(seq));
    watch.close();
    const clients = new Set<unknown>();
    for await (const [[, , client]] of store.scan([CLIENTS.prefix])) clients.add(client);
    const orphans: unknown[] = [];
    const empty: unknown[] = [];
    for await (const [[, , client, check], value] of store.scan([CHECK_RECORDS.prefix])) {
      if (!clients.has(client)) orphans.push([client, check]);
      const record = decodeCheckRecord(value);
      if (record.check === null && record.event === undefined) empty.push([client, check]);
    }
    const marks = new Map<string, number>();
    for await (const [[, , client], value] of store.scan([AGENT_SPOOLS.prefix])) {
      marks.set(String(client), (JSON.parse(value) as { acked: number }).acked);
    }
    return { lastSeq: store.lastSeq('main'), seqs, orphans, empty, marks };
  } finally {
    await store.close();
  }
}

/**
 * Checks that no record is partial, that the sequence numbers have no gaps, and that each agent's committed id covers
 * all results acknowledged to it.
 *
 * @param lastSeq last sequence number of the previous state
 */
export function expectWhole(
  stored: StoredState,
  lastSeq: number,
  agents: readonly { readonly ledger: Ledger }[],
): void {
  expect(stored.lastSeq).toBeGreaterThanOrEqual(lastSeq);
  expect(stored.seqs).toEqual(stored.seqs.map((_, at) => stored.lastSeq - stored.seqs.length + 1 + at));
  expect(stored.orphans).toEqual([]);
  expect(stored.empty).toEqual([]);
  for (const { ledger } of agents) {
    expect(stored.marks.get(ledger.name) ?? 0).toBeGreaterThanOrEqual(ledger.comparedChangeCount + ledger.acked);
  }
}
