/** @module-tag slow */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openUpgradeClient, type UpgradeClient } from '../../../shared/client/plan-client.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import { HISTORY_LENGTH } from '../../../shared/domain/history.ts';
import { AgentFleet } from '../../support/agent-fleet.ts';
import { PlanDriver } from '../../support/plan-driver.ts';

const NAME = 'web-1';

test('results that agents collect while an upgrade plan rejects results all arrive later, once and in order', async () => {
  await using fleet = await AgentFleet.open();
  const file = join(fleet.dir, 'count');
  const own = {
    command: `n=$(($(cat ${file} 2> /dev/null) + 1)); echo $n | tee ${file}; exit $((n % 4))`,
    standalone: true,
    interval: 1,
  };
  await fleet.agent(NAME, { checks: { own } });
  const counted = async (): Promise<number> => Number(await readFile(file, 'utf8'));
  const countsTo = (count: number): Promise<void> =>
    vi.waitFor(async () => expect(await counted()).toBeGreaterThanOrEqual(count));
  const storedNumbers = async (): Promise<{ last: number; history: readonly number[] }> => {
    const result = await fleet.api.result(NAME, 'own');
    return { last: Number(result?.check.output ?? 0), history: result?.check.history ?? [] };
  };
  await vi.waitFor(async () => expect((await storedNumbers()).last).toBeGreaterThan(0));

  const client = (): UpgradeClient => openUpgradeClient({ backend: fleet.backendUrl });
  const { id } = await client().create({ from: '5.7.0', to: '6.5.0' });
  const plan = new PlanDriver(client, id);
  await plan.take();
  while (currentStep(await plan.plan())?.id !== 'drain') await plan.skip('not in this test');
  await plan.start();
  const before = await storedNumbers();
  await countsTo(before.last + 2);
  expect(await storedNumbers()).toEqual(before);
  await fleet.stopBackend('SIGKILL');
  await fleet.startBackend();
  const restarted = await counted();
  await countsTo(restarted + 1);
  expect(await storedNumbers()).toEqual(before);

  while (currentStep(await plan.plan())?.id !== 'versions') await plan.start();
  await vi.waitFor(async () => expect((await storedNumbers()).last).toBeGreaterThan(restarted));
  const { last, history } = await storedNumbers();
  const statuses = Array.from({ length: last }, (_, at) => (at + 1) % 4);
  // On a slow machine, there are more results than a check history holds.
  expect(history).toEqual(statuses.slice(-HISTORY_LENGTH));
});
