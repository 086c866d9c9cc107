import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { decodeCheckRecord } from '../../daemon/backend/events/check-record.ts';
import { CLIENTS } from '../../daemon/backend/clients/table.ts';
import { CHECK_RECORDS } from '../../daemon/backend/events/table.ts';
import { AGENT_SPOOLS } from '../../daemon/backend/results/table.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { Chance } from './chance.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { AgentWriter, HttpWriter, listsOf } from './writer.ts';

const ROUNDS = 4;
const HTTP_WRITERS = 8;
const AGENTS = 6;
/** Longest time under load before the kill. */
const LOAD_MS_MAX = 700;
/** A backend that is starting is there, or gone, within this time. */
const START_MS_MAX = 600;

interface StoredState {
  readonly lastSeq: number;
  /** Sequence numbers of the change records that are kept. */
  readonly seqs: readonly number[];
  /** Clients and checks of records without a client. */
  readonly orphans: readonly unknown[];
  /** Records with neither a result nor an event. */
  readonly empty: readonly unknown[];
  /** Highest committed id by agent. */
  readonly marks: ReadonlyMap<string, number>;
}

/** What a killed backend left on the disk. */
async function readStore(dir: string): Promise<StoredState> {
  const store = await openLevelStore(dir);
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

test(
  'a backend that is killed at any moment has everything that it acknowledged, and nothing in part or twice',
  async () => {
    const chance = new Chance(seed());
    const dir = await tempDir();
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, chance));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, chance));
    const writers = [...https, ...agents];
    let lastSeq = 0;
    let changes = 0;

    for (let round = 0; round < rounds(ROUNDS); round++) {
      // Now and then it does not live to see its start.
      if (chance.below(5) === 0) {
        const starting = startDaemon({
          stateDir: dir,
          onSpawn: (kill) => void setTimeout(kill, chance.below(START_MS_MAX)),
        });
        await starting.then((daemon) => daemon.end('SIGKILL')).catch(() => undefined);
      }
      await using daemon = await startDaemon({ stateDir: dir });
      const lists = await listsOf(daemon.url);
      for (const { ledger } of writers) {
        changes += ledger.acked;
        ledger.compare(lists);
      }
      const running = Promise.all(writers.map((writer) => writer.run(daemon.url)));
      // A writer that meets a wrong answer ends the test, not the wait.
      await Promise.race([delay(chance.below(LOAD_MS_MAX)), running]);
      await daemon.end('SIGKILL');
      await running;

      const stored = await readStore(dir);
      expect(stored.lastSeq).toBeGreaterThanOrEqual(lastSeq);
      expect(stored.seqs).toEqual(stored.seqs.map((_, at) => stored.lastSeq - stored.seqs.length + 1 + at));
      expect(stored.orphans).toEqual([]);
      expect(stored.empty).toEqual([]);
      for (const { ledger } of agents) {
        expect(stored.marks.get(ledger.name) ?? 0).toBeGreaterThanOrEqual(ledger.settled + ledger.acked);
      }
      ({ lastSeq } = stored);
    }
    await using daemon = await startDaemon({ stateDir: dir });
    const lists = await listsOf(daemon.url);
    for (const { ledger } of writers) ledger.compare(lists);
    console.log(
      `${String(rounds(ROUNDS))} kills, ${String(changes)} acknowledged changes, last sequence number ${String(lastSeq)}`,
    );
  },
  roundsTimeoutMs(ROUNDS, 10_000),
);
