/** @module-tag slow */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HISTORY_LENGTH } from '../../../shared/domain/history.ts';
import { AgentFleet, messages } from '../../support/agent-fleet.ts';

const NAMES = ['web-1', 'web-2', 'web-3'];

/**
 * Returns a check that counts its runs on each machine. Its output is the number of the run, and its status is that
 * number modulo 4.
 */
const counting = (dir: string): Readonly<Record<string, unknown>> => ({
  command: `n=$(($(cat ${dir}/:::name:::.count 2> /dev/null) + 1)); echo $n | tee ${dir}/:::name:::.count; exit $((n % 4))`,
  standalone: true,
  interval: 1,
});

/** Returns the statuses of the first `count` runs. */
const statusesOf = (count: number): number[] => Array.from({ length: count }, (_, at) => (at + 1) % 4);

/** Returns the statuses that a check history holds: on a slow machine, there are more runs than that. */
const retainedStatuses = (statuses: readonly number[]): readonly number[] => statuses.slice(-HISTORY_LENGTH);

/** Returns the number of the last run on a machine, whether or not the backend has received its result. */
async function lastRunNumber(fleet: AgentFleet, name: string): Promise<number> {
  return Number(await readFile(join(fleet.dir, `${name}.count`), 'utf8'));
}

/** Waits until the backend has the result of a run, and returns the last result and the check history at that time. */
async function storedNumbers(
  fleet: AgentFleet,
  name: string,
  run: number,
): Promise<{ readonly last: number; readonly history: readonly number[] }> {
  return await vi.waitFor(async () => {
    const result = await fleet.api.result(name, 'own');
    const last = Number(result?.check.output ?? 0);
    expect(last).toBeGreaterThanOrEqual(run);
    return { last, history: result?.check.history ?? [] };
  });
}

test('results that agents collect while the backend is down all arrive after its restart, once and in order', async () => {
  await using fleet = await AgentFleet.open();
  const checks = { own: counting(fleet.dir) };
  const agents = await Promise.all(NAMES.map((name) => fleet.agent(name, { checks })));
  for (const name of NAMES) await storedNumbers(fleet, name, 1);
  await fleet.stopBackend('SIGKILL');
  for (const [at, name] of NAMES.entries()) {
    const alone = await lastRunNumber(fleet, name);
    await vi.waitFor(async () => expect(await lastRunNumber(fleet, name)).toBeGreaterThan(alone));
    expect(agents.map(messages)[at]).toContain('not connected to the backend');
  }
  const killed = agents[2];
  killed?.kill('SIGKILL');
  await killed?.ended;
  await fleet.startBackend();
  await fleet.agent('web-3', { checks });

  for (const name of ['web-1', 'web-2']) {
    const { last, history } = await storedNumbers(fleet, name, await lastRunNumber(fleet, name));
    expect(history).toEqual(retainedStatuses(statusesOf(last)));
  }
  const { last, history } = await storedNumbers(fleet, 'web-3', (await lastRunNumber(fleet, 'web-3')) + 1);
  const all = statusesOf(last);
  // A run that was in progress when its agent ended has no result.
  expect([all, ...all.map((_, at) => all.toSpliced(at, 1))].map(retainedStatuses)).toContainEqual(history);
});
