/** @module-tag slow */
import { expect, onTestFailed, test } from 'vitest';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { RandomChoices } from './random-choices.ts';
import { ClusterLoad } from './cluster-load.ts';
import { DISASTERS } from './disasters.ts';
import { Members } from './members.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { shownTimes, spreadOf } from './times.ts';

const ROUNDS = 1;
const MEMBERS = 3;
const LOAD_MS_MAX = 700;
/**
 * Limit for the time from the failure of the leader to the first write through another member (design, scale-out);
 * higher when the test runs next to others. Every other round has a failover. The test asserts the p99, so one of the
 * 100 failovers in 200 rounds may be slower; with fewer rounds none may.
 */
const TAKE_OVER_P99_MS = isAskedFor ? 5000 : 30_000;

test(
  'a cluster loses no acknowledged write, and all members agree, when a member or the database fails',
  async () => {
    const random = new RandomChoices(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using members = await Members.open(MEMBERS, () => ({ MON_STORE: store }));
    const load = new ClusterLoad(members, store, random);
    const takeOvers: number[] = [];

    let round = 0;
    onTestFailed(() => console.log(`failed after ${String(round)} disasters, ${String(load.changes)} changes`));
    for (; round < rounds(ROUNDS); round++) {
      const disaster = async (): Promise<void> => {
        const took = await DISASTERS[round % DISASTERS.length]?.(members, server, random);
        if (took !== undefined) takeOvers.push(took);
      };
      await load.during(disaster, { loadMsMax: LOAD_MS_MAX });
    }
    const took = spreadOf(takeOvers);
    console.log(
      `${String(round)} disasters, ${String(load.changes)} acknowledged changes, ` +
        `${String(takeOvers.length)} take-overs: ${shownTimes(took)}`,
    );
    expect(took.p99).toBeLessThan(TAKE_OVER_P99_MS);
  },
  roundsTimeoutMs(ROUNDS, 30_000),
);
