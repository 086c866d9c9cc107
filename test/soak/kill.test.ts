/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { RandomChoices } from './random-choices.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { expectEachChange, expectTimelineMatchesEvents } from './past-of-now.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { expectWhole, readStore } from './stored-state.ts';
import { AgentWriter, COUNTING_CHECK, HttpWriter, listsOf, type Item } from './writer.ts';

const ROUNDS = 3;
const HTTP_WRITERS = 8;
const AGENTS = 6;
/** Maximum time in milliseconds that the writers run before the kill. */
const LOAD_MS_MAX = 700;
/** Maximum time in milliseconds from the start of a backend to a kill during its start. */
const START_MS_MAX = 600;

/**
 * Checks the timeline of the agent's counting check: each of its results changes the status, so each is a transition.
 */
async function expectCounted(url: string, client: string, results: readonly Item[]): Promise<void> {
  const of = results.map((item) => ({ client: item['client'], check: item['check'] as Item }));
  const counting = of.find((item) => item.client === client && item.check['name'] === COUNTING_CHECK);
  const statuses = counting?.check['history'] as readonly unknown[] | undefined;
  if (statuses !== undefined) await expectEachChange(url, { client, check: COUNTING_CHECK, statuses });
}

test(
  'a backend killed at any time keeps every acknowledged write, and stores no write partly or twice',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, random));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, random));
    const writers = [...https, ...agents];
    let lastSeq = 0;
    let changes = 0;

    for (let round = 0; round < rounds(ROUNDS); round++) {
      // In some rounds the backend is killed during its start.
      if (random.below(5) === 0) {
        const starting = startDaemon({
          stateDir: dir,
          onSpawn: (kill) => void setTimeout(kill, random.below(START_MS_MAX)),
        });
        await starting.then((daemon) => daemon.end('SIGKILL')).catch(() => undefined);
      }
      await using daemon = await startDaemon({ stateDir: dir });
      const lists = await listsOf(daemon.url);
      for (const { ledger } of writers) {
        changes += ledger.acked;
        ledger.compare(lists);
      }
      await expectTimelineMatchesEvents(daemon.url);
      for (const { ledger } of agents) await expectCounted(daemon.url, ledger.name, lists.results);
      const running = Promise.all(writers.map((writer) => writer.run(daemon.url)));
      // If a writer gets a wrong response, the race rejects, so the test fails immediately.
      await Promise.race([delay(random.below(LOAD_MS_MAX)), running]);
      await daemon.end('SIGKILL');
      await running;

      const stored = await readStore(openLevelStore(dir));
      expectWhole(stored, lastSeq, agents);
      ({ lastSeq } = stored);
    }
    await using daemon = await startDaemon({ stateDir: dir });
    const lists = await listsOf(daemon.url);
    for (const { ledger } of writers) {
      changes += ledger.acked;
      ledger.compare(lists);
    }
    for (const { ledger } of agents) await expectCounted(daemon.url, ledger.name, lists.results);
    expect(changes).toBeGreaterThan(0);
    console.log(
      `${String(rounds(ROUNDS))} kills, ${String(changes)} acknowledged changes, last sequence number ${String(lastSeq)}`,
    );
  },
  roundsTimeoutMs(ROUNDS, 10_000),
);
