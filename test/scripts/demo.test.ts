/** @module-tag slow */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { demoDefinitions, CHECK_INTERVAL_SECONDS, resultsDue } from '../../scripts/demo/checks.ts';
import { startDemoSite } from '../../scripts/demo/demo-site.ts';
import { clientOfMachine, ALL_MACHINES } from '../../scripts/demo/machines.ts';
import { rackWithoutNetwork } from '../../scripts/demo/troubles.ts';
import { openApiClient } from '../../shared/client/api-client.ts';
import { openUpgradeClient } from '../../shared/client/plan-client.ts';
import { clientSchema } from '../../shared/schemas/client.ts';
import { openBackend } from '../support/open-backend.ts';
import { tempDir } from '../support/temp-dir.ts';

test('the demo site has 2,000 machines, each with a unique name and address', () => {
  expect(ALL_MACHINES).toHaveLength(2000);
  const clients = ALL_MACHINES.map((machine) => clientSchema.parse(clientOfMachine(machine)));
  expect(new Set(clients.map(({ name }) => name)).size).toBe(2000);
  expect(new Set(clients.map(({ address }) => address)).size).toBe(2000);
});

test('each check of the demo is due once per interval, and its results depend only on the time', () => {
  const round = Array.from({ length: CHECK_INTERVAL_SECONDS }, (_, second) => resultsDue(second, 1000 + second)).flat();
  const keys = round.map(({ source, name }) => `${String(source)}/${name}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(round.map(({ source }) => source)).size).toBe(2000);
  expect(resultsDue(7, 1007)).toEqual(resultsDue(7, 1007));
});

test('every check of the demo fails on some machine within an hour and recovers, and so do whole racks', () => {
  const seen = new Map<string, Set<number>>();
  // 7 has no common divisor with the interval of 30, so the loop reaches every check.
  for (let second = 0; second < 3600; second += 7) {
    for (const { name, status } of resultsDue(second, second)) {
      seen.set(name, (seen.get(name) ?? new Set()).add(status ?? 0));
    }
  }
  for (const [name, statuses] of seen) expect([name, statuses.has(0), statuses.size > 1]).toEqual([name, true, true]);
  const dark = new Set(Array.from({ length: 3600 }, (_, second) => rackWithoutNetwork(second)));
  expect(dark.size).toBeGreaterThan(5);
  expect(dark).toContain(undefined);
});

test('the demo starts with machines, problems, silences, escalations and a plan', async () => {
  const dir = await tempDir();
  const definitions = join(dir, 'conf.d');
  mkdirSync(definitions);
  writeFileSync(join(definitions, 'site.json'), JSON.stringify(demoDefinitions(dir)));
  const { checks, handlers } = await loadConfig({ directories: [definitions], env: {} });
  const backend = await openBackend({ dir: join(dir, 'state'), definitions: { checks, handlers } });
  onTestFinished(() => backend.stop());
  const api = openApiClient({ backend: backend.url, env: {} });
  const plans = openUpgradeClient({ backend: backend.url, env: {} });

  const beganAt = Math.floor(Date.now() / 1000);
  const progress: [string, number][] = [];
  await using site = startDemoSite(api, plans, {
    roundsBefore: 2,
    onProgress: ({ step, percent }) => void progress.push([step, percent]),
  });
  await site.ready;
  expect(new Set(progress.map(([step]) => step))).toEqual(
    new Set(['creating 2,000 machines', 'replaying past results']),
  );
  expect(progress[0]?.[1]).toBe(0);
  expect(progress.at(-1)?.[1]).toBeGreaterThan(90);

  const overview = await api.overview();
  expect(overview).toMatchObject({ clients: { registered: 2002 } });
  const events = await api.events();
  expect(new Set(events.map(({ check }) => check.status))).toEqual(new Set([1, 2]));
  expect((await api.silenced()).map(({ id }) => id)).toHaveLength(5);
  expect(events.filter(({ silenced }) => silenced).length).toBeGreaterThan(0);
  expect(await api.searchEvents('escalating escalation=storage-page')).not.toEqual([]);
  expect(await plans.plans()).toMatchObject([{ state: 'open' }]);
  const [soon] = resultsDue(3, beganAt);
  await vi.waitFor(async () => {
    const result = await api.result(soon?.source ?? '', soon?.name ?? '');
    expect(result?.check.executed).toBeGreaterThanOrEqual(beganAt);
  });
});
