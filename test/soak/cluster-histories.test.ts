/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startPostgres, type PostgresServer } from '../../scripts/lib/postgres-server.ts';
import { isLinearizable } from '../support/linearizable.ts';
import { RandomChoices } from './random-choices.ts';
import { DISASTERS, type Disaster } from './disasters.ts';
import { KeyHistory } from './key-history.ts';
import { Members } from './members.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 1;
const MEMBERS = 3;
/** Number of concurrent histories, each of the operations on one key. */
const HISTORIES = 5;
const CLIENTS = 4;
const CALM_MS = 500;
/**
 * Maximum pause between two requests of a client in a round without a disaster. Rounds with one last longer and pause
 * longer, so that the number of requests is similar.
 */
const CALM_PAUSE_MS = 20;
const PAUSE_MS = 200;

interface Scene {
  readonly members: Members;
  readonly server: PostgresServer;
  readonly random: RandomChoices;
}

/** Returns the disaster of a round, `undefined` for every other round. The other rounds cycle through all disasters. */
const disasterOf = (round: number): Disaster | undefined =>
  round % 2 === 0 ? undefined : DISASTERS[((round - 1) / 2) % DISASTERS.length];

/**
 * Runs the clients of all histories, and meanwhile the disaster.
 *
 * @returns index of the member that was leader the whole time; `undefined` if there may have been several leaders
 */
async function runHistories(
  { members, server, random }: Scene,
  histories: readonly KeyHistory[],
  disaster: Disaster | undefined,
): Promise<number | undefined> {
  const enough = new AbortController();
  const pauseMs = disaster === undefined ? CALM_PAUSE_MS : PAUSE_MS;
  const writer = await members.writer();
  const asking = Promise.all(
    histories.flatMap((history) => Array.from({ length: CLIENTS }, () => history.ask(pauseMs, enough.signal))),
  );
  await Promise.race([asking, delay(CALM_MS)]);
  await disaster?.(members, server, random);
  enough.abort();
  await asking;
  return disaster === undefined && (await members.writer()) === writer ? writer : undefined;
}

test(
  'concurrent silences and results at random backends meet the guarantees of docs/scale-out.md despite failures',
  async () => {
    const random = new RandomChoices(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using members = await Members.open(MEMBERS, () => ({ MON_STORE: store }));
    let operations = 0;
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const { urls } = members;
      const histories = Array.from(
        { length: HISTORIES },
        (_, at) => new KeyHistory(`key-${String(round)}-${String(at)}`, urls, random),
      );
      const disaster = disasterOf(round);
      const writer = await runHistories({ members, server, random }, histories, disaster);
      await members.caughtUp();
      for (const history of histories) {
        await history.readEverywhere();
        const asked = history.operationsOf(writer);
        operations += asked.length;
        expect(
          isLinearizable(asked),
          `${history.key} after ${disaster?.name ?? 'nothing'}:\n${asked.map((one) => JSON.stringify(one)).join('\n')}`,
        ).toBe(true);
      }
    }
    console.log(`${String(HISTORIES * rounds(ROUNDS))} histories of ${String(operations)} operations`);
  },
  roundsTimeoutMs(ROUNDS, 30_000),
);
