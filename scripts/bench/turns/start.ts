import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { makeStateDir, startBackend } from '../backend-process.ts';
import { CHECKS_PER_AGENT } from '../bench-agent.ts';
import { postResults, type ResultGrid } from '../post-results.ts';
import { cpuMs, memoryMiB, peakMemoryMiB } from '../process-figures.ts';
import { formatNumber } from '../report.ts';
import { compactStore } from '../settle-store.ts';
import { runAlternately, type ComparedClone, type ComparedClones } from './figures.ts';

const ROUND_COUNT = 5;

/**
 * Measures the start of both clones on a store of many results, one in twenty of them failing. Each clone has filled
 * its own store.
 */
export async function compareStarts(sides: ComparedClones, results: number): Promise<void> {
  const stores = await Promise.all(sides.map(async (side) => ({ side, stateDir: await makeStateDir() })));
  try {
    for (const { side, stateDir } of stores) await fillStore(side, stateDir, results);
    await runAlternately(ROUND_COUNT, stores, [({ side, stateDir }) => measureStart(side, stateDir, results)]);
  } finally {
    for (const { stateDir } of stores) await rm(stateDir, { recursive: true });
  }
}

async function fillStore({ clone }: ComparedClone, stateDir: string, results: number): Promise<void> {
  const grid: ResultGrid = {
    clients: Math.ceil(results / CHECKS_PER_AGENT),
    checks: CHECKS_PER_AGENT,
    result: (client, check) => ({
      source: `web-${String(client)}`,
      name: `check-${String(check)}`,
      status: (client + check) % 20 === 0 ? 2 : 0,
    }),
  };
  {
    await using backend = await startBackend({ clone, stateDir, keepsState: true });
    await postResults(backend, grid);
  }
  await compactStore(stateDir);
}

async function measureStart(side: ComparedClone, stateDir: string, results: number): Promise<void> {
  const begun = performance.now();
  await using backend = await startBackend({ clone: side.clone, stateDir, keepsState: true });
  const what = `start with ${formatNumber(results)} results`;
  side.record(`${what}, to serving`, (performance.now() - begun) / 1000, 's');
  side.record(`${what}: CPU`, cpuMs(backend.pid) / 1000, 's');
  side.record(`${what}: memory after it`, memoryMiB(backend.pid), 'MiB');
  side.record(`${what}: peak`, peakMemoryMiB(backend.pid), 'MiB');
}
