/** @module-tag slow */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SCHEMA_VERSION } from '../../../daemon/backend/store/keys.ts';
import { encodeTuple, tupleRange } from '../../../daemon/backend/store/tuple.ts';
import { HISTORY_LENGTH } from '../../../shared/domain/history.ts';
import { AgentFleet } from '../../support/agent-fleet.ts';
import { checkRecordsOf, onClosed } from '../../support/earlier-stores.ts';
import { runUpgradeProgram } from '../../support/upgrade-program.ts';

const NAME = 'web-1';

/**
 * Returns a check that counts its runs. Its output is the number of the run, and its status is that number modulo 4.
 */
const counting = (dir: string): Readonly<Record<string, unknown>> => ({
  command: `n=$(($(cat ${dir}/count 2> /dev/null) + 1)); echo $n | tee ${dir}/count; exit $((n % 4))`,
  standalone: true,
  interval: 1,
});

/** Converts a check record of the current schema to the format of schema 1. */
function checkFirst(stateFirst: string): string {
  const { check, ...own } = JSON.parse(stateFirst) as Record<string, unknown>;
  return JSON.stringify({ check, ...own });
}

/** Converts a store with the current schema to schema 1. */
async function age(dir: string): Promise<void> {
  await onClosed(dir, async (database) => {
    for (const [key, value] of await database.iterator(tupleRange(['check'])).all()) {
      await database.put(key, checkFirst(value));
    }
    await database.put(encodeTuple(SCHEMA_VERSION), '1');
  });
}

test('results that agents collect during an upgrade of the store all arrive afterwards, once and in order', async () => {
  await using fleet = await AgentFleet.open();
  const counted = async (): Promise<number> => Number(await readFile(join(fleet.dir, 'count'), 'utf8'));
  await fleet.agent(NAME, { checks: { own: counting(fleet.dir) } });
  const reaches = (run: number): Promise<{ last: number; history: readonly number[] }> =>
    vi.waitFor(async () => {
      const result = await fleet.api.result(NAME, 'own');
      const last = Number(result?.check.output ?? 0);
      expect(last).toBeGreaterThanOrEqual(run);
      return { last, history: result?.check.history ?? [] };
    });
  await reaches(1);

  await fleet.stopBackend('SIGTERM');
  const before = await counted();
  const state = join(fleet.dir, 'state');
  await age(state);
  expect((await checkRecordsOf(state)).every(([, value]) => value.startsWith('{"check":'))).toBe(true);
  const upgrade = runUpgradeProgram(['upgrade', '--skip-confirm', '--state-dir', state]);
  expect(await upgrade.ended).toEqual({ code: 0, stderr: '' });
  expect(upgrade.records.at(-1)).toMatchObject({ message: 'successfully upgraded database' });
  // At least one run must have happened while no backend was running.
  const during = await vi.waitFor(async () => {
    const count = await counted();
    expect(count).toBeGreaterThan(before);
    return count;
  });
  await fleet.startBackend();

  const { last, history } = await reaches(during + 1);
  const statuses = Array.from({ length: last }, (_, at) => (at + 1) % 4);
  // On a slow machine, there are more results than a check history holds.
  expect(history).toEqual(statuses.slice(-HISTORY_LENGTH));
});
