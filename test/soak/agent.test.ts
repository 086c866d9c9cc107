/** @module-tag slow */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { SpoolWriter } from './spool-writer.ts';
import { listsOf } from './writer.ts';

const ROUNDS = 6;
const AGENTS = 3;
const RESULTS_MAX = 60;
const PAUSE_MS_MAX = 60;

test(
  'agents with lost connections and restarts deliver every result once and in order',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const stateDir = join(dir, 'backend');
    let daemon = await startDaemon({ stateDir });
    await using proxy = await CuttingProxy.open(daemon.url);
    await using agents = new AsyncDisposableStack();
    const all: SpoolWriter[] = [];
    for (let at = 0; at < AGENTS; at++) {
      const name = `agent-${String(at)}`;
      all.push(agents.use(await SpoolWriter.open(name, join(dir, name), proxy.url, random)));
    }

    const trouble = async (): Promise<void> => {
      const kind = random.below(4);
      if (kind === 0) proxy.cut();
      else if (kind === 1) proxy.cutAfter(random.below(300));
      else if (kind === 2) {
        proxy.stall();
        await delay(random.below(PAUSE_MS_MAX));
        proxy.cut();
        proxy.flow();
      } else {
        await daemon.end(random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM']));
        daemon = await startDaemon({ stateDir });
        proxy.target = daemon.url;
      }
    };

    let results = 0;
    try {
      for (let round = 0; round < rounds(ROUNDS); round++) {
        const count = random.below(RESULTS_MAX);
        results += count * AGENTS;
        const reporting = Promise.all(
          all.map(async (agent) => {
            for (let at = 0; at < count; at++) await agent.report();
          }),
        );
        await delay(random.below(PAUSE_MS_MAX));
        // The agent is restarted after the reports, when many are undelivered; the other faults happen during the
        // reports.
        const isRestart = random.below(4) === 0;
        if (!isRestart) await trouble();
        await reporting;
        if (isRestart) await all[random.below(AGENTS)]?.restart();
        proxy.flow();
        await vi.waitFor(() => expect(all.map(({ waiting }) => waiting)).toEqual(all.map(() => 0)));
        const lists = await listsOf(daemon.url);
        for (const agent of all) {
          agent.settle();
          agent.ledger.compare(lists);
        }
      }
    } finally {
      await daemon.end('SIGKILL');
    }
    console.log(`${String(results)} results, ${String(proxy.cuts)} cuts`);
  },
  roundsTimeoutMs(ROUNDS, 5000),
);
