import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../daemon/backend/store/migrations/list.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { openUpgradeClient, type UpgradeClient } from '../../../../shared/client/plan-client.ts';
import { contentOf, earlierStore } from '../../../support/earlier-stores.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { PlanDriver, SESSION } from '../../../support/plan-driver.ts';

/** Returns a backend that can be restarted during a plan. */
async function restartable(
  dir: string,
): Promise<{ client: () => UpgradeClient; backend: () => Backend; restart: () => Promise<void> }> {
  let backend = await openBackend({ dir, batcher: { lingerMs: 0 } });
  onTestFinished(() => backend.stop());
  return {
    client: () => openUpgradeClient({ backend: backend.url }),
    backend: () => backend,
    async restart() {
      await backend.stop();
      backend = await openBackend({ dir, batcher: { lingerMs: 0 } });
    },
  };
}

test('an upgrade plan fixes a missing namespace, takes a backup, survives a restart and upgrades the store', async () => {
  const dir = await earlierStore({ schema: 2, checks: { gone: ['db', 'web'] } });
  const { client, backend, restart } = await restartable(dir);
  const { id, steps, verdict } = await client().create({ from: '6.1.0', to: '6.5.0' });
  expect(verdict).toBe('block');
  expect(steps.map((step) => step.id)).toEqual([
    'rules',
    'fix-namespaces',
    'certificates',
    'backup',
    'install',
    'daemon-reload',
    'restart-agents',
    'restart-backend',
    'backends-agree',
    'migrate',
    'versions',
    'entities',
  ]);
  const plan = new PlanDriver(client, id);
  await plan.take();

  // The first step lists the blocking problems, and leaves each to the step that fixes it.
  expect((await plan.start()).steps[0]).toMatchObject({
    state: 'done',
    note: expect.stringMatching(
      /^later steps will fix: 6\.2\.0-namespaces: the namespace gone does not exist, but has checks: db, web: .*\(the step fix-namespaces fixes it\)$/,
    ),
  });
  await expect(plan.order({ order: 'start', session: SESSION, step: 'fix-namespaces', typed: 'no' })).rejects.toThrow(
    'fix-namespaces cannot be undone: type gone to run it',
  );
  expect((await plan.start()).steps[1]).toMatchObject({ state: 'done', note: 'deleted 2 checks of gone' });
  expect(await client().facts()).toMatchObject({ namespaces: ['default'], checks: [] });
  await plan.skip('no TLS here');

  const { backup, log } = await plan.start();
  expect(await readdir(backup ?? '')).toContain('manifest.json');
  expect(log.at(-1)?.text).toMatch(/^\d+ entries in .*schema-2, verified, sha256 [\da-f]{16}$/);

  await plan.until('restart-backend');
  await plan.start();
  // A confirmation alone is not sufficient: the backend must have been restarted.
  expect((await plan.confirm()).steps.find((step) => step.id === 'restart-backend')).toMatchObject({
    state: 'confirm',
    note: expect.stringContaining('was not restarted since'),
  });
  await restart();
  expect(await plan.plan()).toMatchObject({ state: 'open', holder: { session: SESSION } });
  await plan.confirm();

  await plan.until('migrate');
  const api = openApiClient({ backend: backend().url });
  // The backend continues to process results before and during the migration (reference 9.2).
  const agent = await AgentPeer.connect(backend().url, 'app-1');
  await agent.join('spool-1', { version: '0.9.0' });
  agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'full', status: 2 } }] });

  expect((await plan.start()).steps.find((step) => step.id === 'migrate')).toMatchObject({
    state: 'done',
    note: `upgraded the database from schema 2 to ${String(schemaAfterMigrations(MIGRATIONS))}`,
  });
  expect(await api.submitResult({ name: 'x', output: 'y' })).toHaveProperty('issued');
  await agent.waitForAck(1);
  expect((await plan.start()).steps.find((step) => step.id === 'versions')).toMatchObject({
    state: 'failed',
    note: 'not at 6.5.0: default/app-1 (0.9.0)',
  });
  await plan.skip('app-1 is upgraded tonight');
  expect(await plan.start()).toMatchObject({ state: 'done', holder: null });
  expect(await openApiClient({ backend: backend().url }).audit({ action: 'upgrade.create' })).toHaveLength(1);
  await backend().stop();
  expect((await contentOf(dir)).map(([key]) => key)).not.toContainEqual(['definition', 'checks', 'gone', 'db']);
  expect(await readdir(join(dir, 'backups'))).toHaveLength(1);
});

test('the feed sends every change of an upgrade plan', async () => {
  const dir = await earlierStore({ schema: 2 });
  const { client, backend } = await restartable(dir);
  const watcher = await FeedPeer.subscribe(backend().url, { topics: ['upgrades'] });
  await watcher.hears('live');
  const { id } = await client().create({ from: '6.4.0', to: '6.5.0' });
  const plan = new PlanDriver(client, id);
  await plan.take();
  await plan.start();
  const whole = await plan.plan();
  await vi.waitFor(() =>
    expect(watcher.replica.upgrades.get('1')).toEqual({
      id: 1,
      revision: whole.revision,
      from: '6.4.0',
      to: '6.5.0',
      state: 'open',
      verdict: 'pass',
      holder: 'local administrator',
      step: {
        number: 2,
        total: whole.steps.length,
        title: 'Back up the store and verify the backup',
        state: 'pending',
      },
    }),
  );
  const late = await FeedPeer.subscribe(backend().url, { topics: ['upgrades'] });
  await late.hears('live');
  expect([...late.replica.upgrades.keys()]).toEqual(['1']);
});
