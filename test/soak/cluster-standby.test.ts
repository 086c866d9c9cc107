/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import { startPostgres, startStandby } from '../../scripts/lib/postgres-server.ts';
import { RandomChoices } from './random-choices.ts';
import { ClusterLoad } from './cluster-load.ts';
import { Members, takeOverMs } from './members.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { shownTimes, spreadOf } from './times.ts';

const ROUNDS = 1;
const MEMBERS = 3;
/**
 * Maximum time under load before the database restarts, between its restart and its failure, and after the failover.
 */
const LOAD_MS_MAX = 500;
/** Maximum time between the failure of the primary and the promotion of the standby. */
const UNNOTICED_MS_MAX = 1000;

test(
  'a cluster loses no acknowledged write and repeats no write when its database restarts or fails over',
  async () => {
    const random = new RandomChoices(seed());
    await using first = await startPostgres();
    await using second = await startStandby(first);
    const store = await first.database();
    const { host } = new URL(store);
    const all = store.replace(host, `${host},${new URL(second.url('postgres')).host}`);
    await using members = await Members.open(MEMBERS, () => ({ MON_STORE: all }));
    const load = new ClusterLoad(members, all, random);
    const gaps: number[] = [];
    let [primary, standby] = [first, second];
    const pause = (msMax: number): Promise<void> => delay(random.below(msMax));

    let round = 0;
    onTestFailed(() => console.log(`failed after ${String(round)} promotions, ${String(load.changes)} changes`));
    for (; round < rounds(ROUNDS); round++) {
      if (round > 0) await standby.follow(primary);
      const failOver = async (): Promise<void> => {
        await primary.stop();
        await primary.start();
        await pause(LOAD_MS_MAX);
        await primary.kill();
        await pause(UNNOTICED_MS_MAX);
        await standby.promote();
        gaps.push(await takeOverMs(members, random.below(MEMBERS)));
        await pause(LOAD_MS_MAX);
      };
      await load.during(failOver, { loadMsMax: LOAD_MS_MAX });
      [primary, standby] = [standby, primary];
    }
    expect(load.changes).toBeGreaterThan(0);
    console.log(
      `${String(round)} promotions, ${String(load.changes)} acknowledged changes, ` +
        `from each to the next write: ${shownTimes(spreadOf(gaps))}`,
    );
  },
  roundsTimeoutMs(ROUNDS, 60_000),
);
