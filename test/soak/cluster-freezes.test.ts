/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { RandomChoices } from './random-choices.ts';
import { ClusterLoad } from './cluster-load.ts';
import { Members, takeOverMs } from './members.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { shownTimes, spreadOf } from './times.ts';
import { WriteLog } from './write-log.ts';

const ROUNDS = 1;
const MEMBERS = 3;
const LOAD_MS_MAX = 500;
/** Maximum time under load after a paused backend resumes, in which it must notice that it lost its lease. */
const AFTERWARDS_MS_MAX = 1000;
const FROZEN_MS_MIN = 1000;
const FROZEN_MS_MAX = 30_000;
/**
 * Freeze in milliseconds for a run with few rounds: longer than a lease and the jitter before another member takes it,
 * so that these runs contain a failover too.
 */
const SHORT_FREEZE_MS = 4000;
/**
 * Duration of a freeze that must cause a failover, even on a busy machine. If the test runs next to others, no duration
 * is long enough to guarantee one.
 */
const SURELY_LOST_MS = isAskedFor ? 10_000 : Infinity;

/** The golden ratio: the fractional parts of its multiples are evenly distributed for any number of rounds. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

function frozenMs(round: number): number {
  if (!isAskedFor) return SHORT_FREEZE_MS;
  return FROZEN_MS_MIN + (FROZEN_MS_MAX - FROZEN_MS_MIN) * (((round + 1) * GOLDEN) % 1);
}

test(
  'a paused backend writes nothing once another has taken the lease, and no write is lost or repeated',
  async () => {
    const random = new RandomChoices(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using members = await Members.open(MEMBERS, (at) => ({
      MON_STORE: WriteLog.urlOf(store, `member-${String(at)}`),
    }));
    const writeLog = await WriteLog.open(server, store);
    const load = new ClusterLoad(members, store, random);
    const takeOvers: number[] = [];
    /** Durations of the freezes that caused no failover. */
    const keptForMs: number[] = [];

    let round = 0;
    onTestFailed(() => console.log(`failed after ${String(round)} freezes, ${String(load.changes)} changes`));
    for (; round < rounds(ROUNDS); round++) {
      const ms = frozenMs(round);
      let took = 0;
      let isTakenOver = false;
      const freeze = async (): Promise<void> => {
        const at = await members.writer();
        const { pid } = members.member(at);
        process.kill(pid, 'SIGSTOP');
        const thawed = delay(ms).then(() => process.kill(pid, 'SIGCONT'));
        took = await takeOverMs(members, at);
        await thawed;
        await delay(random.below(AFTERWARDS_MS_MAX));
        const { turns, faults } = await writeLog.read();
        expect(faults).toEqual([]);
        isTakenOver = turns.at(-1) !== `member-${String(at)}`;
      };
      await load.during(freeze, { loadMsMax: LOAD_MS_MAX });
      if (isTakenOver) takeOvers.push(took);
      else keptForMs.push(ms);
    }
    expect(keptForMs.filter((ms) => ms > SURELY_LOST_MS)).toEqual([]);
    console.log(
      `${String(round)} freezes, ${String(load.changes)} acknowledged changes, ` +
        `${String(takeOvers.length)} take-overs: ${shownTimes(spreadOf(takeOvers))}`,
    );
  },
  roundsTimeoutMs(ROUNDS, 60_000),
);
