import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { Chance } from './chance.ts';
import { DISASTERS } from './disasters.ts';
import { Members, sameOrder } from './members.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { expectWhole, readStore } from './stored-state.ts';
import { AgentWriter, HttpWriter } from './writer.ts';

const ROUNDS = 2;
const MEMBERS = 3;
const HTTP_WRITERS = 6;
const AGENTS = 6;
/** Longest time under load before something happens. */
const LOAD_MS_MAX = 700;
/** From the end of the backend that writes to the first write through another one (design, scale-out); beside other tests longer. */
const TAKE_OVER_MS_MAX = isAskedFor ? 5000 : 30_000;

test(
  'of several backends with one database each takes writes and shows the same, whatever happens to one of them or to the database; nothing acknowledged is lost',
  async () => {
    const chance = new Chance(seed());
    await using server = await startPostgres();
    const store = await server.database();
    await using members = await Members.open(MEMBERS, () => ({ MON_STORE: store }));
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, chance));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, chance));
    const writers = [...https, ...agents];
    const takeOvers: number[] = [];
    let lastSeq = 0;
    let changes = 0;

    let round = 0;
    onTestFailed(() => console.log(`failed after ${String(round)} disasters, ${String(changes)} acknowledged changes`));
    for (; round < rounds(ROUNDS); round++) {
      const enough = new AbortController();
      const { urls } = members;
      const running = Promise.all(writers.map((writer, at) => writer.run(urls[at % MEMBERS] ?? '', enough.signal)));
      await Promise.race([delay(chance.below(LOAD_MS_MAX)), running]);
      const took = await DISASTERS[round % DISASTERS.length]?.(members, server, chance);
      if (took !== undefined) takeOvers.push(took);
      enough.abort();
      await running;
      await members.caughtUp();
      const stored = await readStore(openPostgresStore(store));
      expectWhole(stored, lastSeq, agents);
      ({ lastSeq } = stored);
      const [lists, ...others] = await members.lists();
      for (const list of others) expect(sameOrder(list)).toEqual(sameOrder(lists));
      for (const { ledger } of writers) {
        changes += ledger.acked;
        if (lists !== undefined) ledger.compare(lists);
      }
    }
    const slowest = Math.max(...takeOvers);
    const inOrder = takeOvers.toSorted((one, other) => one - other);
    console.log(
      `${String(rounds(ROUNDS))} disasters, ${String(changes)} acknowledged changes, take-over median ` +
        `${String(Math.round(inOrder[Math.floor(inOrder.length / 2)] ?? 0))} ms, slowest ${String(Math.round(slowest))} ms`,
    );
    expect(slowest).toBeLessThan(TAKE_OVER_MS_MAX);
  },
  roundsTimeoutMs(ROUNDS, 30_000),
);
