import { expect, onTestFinished, test, vi } from 'vitest';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../daemon/backend/store/migrations/list.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { openUpgradeClient } from '../../../../shared/client/plan-client.ts';
import { createUpgradePlan } from '../../../../shared/domain/plan/plan.ts';
import { newPlanRun } from '../../../../shared/domain/plan/run.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { startCluster } from '../../../support/cluster-peer.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { earlierStore } from '../../../support/earlier-stores.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { startScriptedServer } from '../../../support/scripted-server.ts';
import { someFacts } from '../../../support/upgrade-facts.ts';
import { watchMonctl } from '../../../support/watching-monctl.ts';
import { runMonctl, type MonctlRun } from '../../../support/run-monctl.ts';

/** Starts a backend whose store contains a check of a namespace that does not exist. */
async function aBackend(): Promise<string> {
  const dir = await earlierStore({ schema: 2, clients: 1, checksEach: 1, checks: { gone: ['db'] } });
  const backend = await openBackend({ dir, batcher: { lingerMs: 0 } });
  onTestFinished(() => backend.stop());
  return backend.url;
}

type Answer = Parameters<typeof runMonctl>[2];

function upgrade(url: string, line: readonly string[], answer?: Answer): Promise<MonctlRun> {
  return runMonctl(['upgrade', ...line], { MON_BACKEND: url }, answer);
}

test('monctl upgrade check of a mon backend exits with 10 and lists the blocking findings and the warnings', async () => {
  const url = await aBackend();
  await openApiClient({ backend: url }).saveStash({ path: 'silence/web-0', content: {} });
  const blocked = await upgrade(url, ['check', '--from', '6.1.0', '--to', '6.5.0', '-o', 'json']);
  expect(blocked).toMatchObject({ code: 10, stderr: expect.stringContaining('6.2.0-namespaces') });
  const { findings } = JSON.parse(blocked.stdout) as { findings: { rule: string; verdict: string }[] };
  expect(findings.map(({ rule, verdict }) => `${rule} ${verdict}`)).toEqual([
    'same-versions pass',
    'stashes warn',
    '6.2.0-namespaces block',
    '6.4.0-store pass',
    '6.4.0-certificates warn',
  ]);
});

test('monctl upgrade fix-namespaces shows its commands first, then fixes checks of missing namespaces in steps', async () => {
  const url = await aBackend();
  const commands = [
    'monctl namespace create gone',
    'monctl check delete db --namespace gone --skip-confirm',
    'monctl namespace delete gone --skip-confirm',
  ];
  const dry = await upgrade(url, ['fix-namespaces']);
  expect(dry.stdout).toBe(`${commands.join('\n')}\nnothing was changed: add --apply to apply it\n`);
  const declined = await upgrade(url, ['fix-namespaces', '--apply'], { answer: 'n' });
  expect(declined).toMatchObject({ code: 9, stderr: expect.stringContaining(`skipped: ${commands.join('; ')}`) });
  const applied = await upgrade(url, ['fix-namespaces', '--apply'], { answer: 'y' });
  expect(applied).toMatchObject({ code: 0, stdout: '3 steps done\n' });
  expect((await new V2Peer(url).get('/namespaces')).body).toEqual([{ name: 'default' }]);
  const again = await upgrade(url, ['fix-namespaces', '--apply']);
  expect(again.stdout).toBe('the namespace of every check exists: there is nothing to fix\n');
});

test('monctl upgrade fix-namespaces fixes checks of missing namespaces on a Sensu Go cluster', async () => {
  const cluster = await startCluster({ lists: { checks: [{ metadata: { namespace: 'gone', name: 'db' } }] } });
  expect(await upgrade(cluster.url, ['fix-namespaces', '--apply'])).toMatchObject({ code: 0 });
  const changes = cluster.seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  expect(changes).toEqual([
    'PUT /api/core/v2/namespaces/gone',
    'DELETE /api/core/v2/namespaces/gone/checks/db',
    'DELETE /api/core/v2/namespaces/gone',
  ]);
});

test('monctl upgrade run executes a plan in a plain terminal, and a second run resumes it', async () => {
  const url = await aBackend();
  const leave = await upgrade(url, ['run', '--from', '6.1.0', '--to', '6.5.0'], { answer: 'q' });
  expect(leave).toMatchObject({ code: 7, stdout: 'plan 1, 6.1.0 to 6.5.0: open, step 1 of 12\n' });
  expect(leave.stderr).toContain('step 1 of 12: Run the pre-flight checks');

  const answers = [
    'rules, where something is in the way that the next step mends: y',
    'fix-namespaces: y gone',
    'certificates: y y',
    'backup: y',
    'install, daemon-reload, restart-agents: y y y y y y',
    'restart-backend, which was not: y y s tonight',
    'backends-agree: y',
    'migrate: y 6.5.0',
    'versions, entities: y y',
  ].flatMap((line) => line.replace(/.*: /, '').split(' '));
  const went = await upgrade(url, ['run'], { answer: () => answers.shift() ?? 'q' });
  expect(went).toMatchObject({ code: 0, stdout: 'plan 1, 6.1.0 to 6.5.0: done\n' });
  expect(answers).toEqual([]);
  expect(went.stderr).toContain('not done: this backend was not restarted since the step began');
  expect(went.stderr).toContain(
    `migrate: upgraded the database from schema 2 to ${String(schemaAfterMigrations(MIGRATIONS))}`,
  );
  expect((await upgrade(url, ['run', '--from', '6.5.0'], { answer: 'q' })).stdout).toContain('plan 2');
});

test('monctl upgrade run prints its questions to stderr when a program reads the plan', async () => {
  const url = await aBackend();
  const left = await upgrade(url, ['run', '--from', '6.1.0', '--to', '6.5.0', '-o', 'json'], { answer: 'q' });
  expect(left).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('step 1 of 12: Run the pre-flight checks'),
  });
  expect(JSON.parse(left.stdout)).toMatchObject({ id: 1, state: 'open' });
});

test('monctl upgrade info --watch reports that the backend is unavailable', { tags: 'slow' }, async () => {
  const plan = newPlanRun(createUpgradePlan({ from: [6, 4, 0], to: [6, 5, 0] }, someFacts({ product: 'mon' })), {
    id: 1,
    who: 'alice',
    nowMs: 1_800_000_000_000,
    entities: 20,
  });
  let asked = 0;
  const { url } = await startScriptedServer(() => (++asked > 2 ? { status: 503 } : { status: 200, body: plan }));
  const watching = watchMonctl(['upgrade', 'info', '1'], { MON_BACKEND: url });
  expect(await watching.next()).toContain('plan from 6.4.0 to 6.5.0, created by alice');
  await vi.waitFor(() => expect(watching.stderr).toContain('is too busy'));
});

test('monctl lists and shows plans, takes them over, abandons them with a reason and rolls back to a backup', async () => {
  const url = await aBackend();
  const client = openUpgradeClient({ backend: url });
  await client.create({ from: '6.4.0', to: '6.5.0' });
  await client.order(1, { order: 'take', session: 'a console', force: false });
  expect(await upgrade(url, ['take'])).toMatchObject({
    code: 6,
    stderr: 'monctl: local administrator owns the plan\n',
  });
  expect((await upgrade(url, ['take', '--force'])).stdout).toBe(
    'plan 1, 6.4.0 to 6.5.0: open, step 1 of 10, owned by local administrator\n',
  );
  const { stdout } = await upgrade(url, ['list']);
  expect(stdout.split('\n')).toEqual([
    'ID  FROM   TO     STATE  STEPS    HOLDER               CREATED BY',
    ' 1  6.4.0  6.5.0  open   0 of 10  local administrator  local administrator',
    '',
  ]);
  expect((await upgrade(url, ['info'])).stdout).toContain('taken over by local administrator from local administrator');
  expect(await upgrade(url, ['roll-back', '--reason', 'x'])).toMatchObject({
    code: 6,
    stderr: 'monctl: the plan has no backup to roll back to\n',
  });
  expect(await upgrade(url, ['abandon'])).toMatchObject({ code: 2 });
  expect((await upgrade(url, ['abandon', '--reason', 'the window is over'])).stdout).toBe(
    'plan 1, 6.4.0 to 6.5.0: abandoned\n',
  );
  expect(await upgrade(url, ['abandon', '--reason', 'again'])).toMatchObject({ code: 3 });
  const watched = await upgrade(url, ['info', '--watch']);
  expect(watched.stdout.split('\n').map((line) => line.replace(/^\S+ {2}/, ''))).toEqual([
    'plan from 6.4.0 to 6.5.0, created by local administrator',
    'owned by local administrator',
    'taken over by local administrator from local administrator',
    'abandoned by local administrator: the window is over',
    '',
  ]);
});

test('monctl upgrade run without a terminal is rejected', async () => {
  expect(await upgrade(await aBackend(), ['run'])).toMatchObject({
    code: 2,
    stderr: 'monctl: monctl upgrade run needs a terminal, because it asks before each step\n',
  });
});

test('a Sensu Go cluster stores no upgrade plans', async () => {
  const { url } = await startCluster({});
  expect(await upgrade(url, ['run', '--from', '6.1.0'], { answer: 'y' })).toMatchObject({
    code: 3,
    stderr: `monctl: ${url} stores no plans because it is not a mon backend: follow the output of monctl upgrade plan manually\n`,
  });
});

test('monctl version --all lists the versions of backend, agents and tools and marks differences', async () => {
  const url = await aBackend();
  const [same, old] = [await AgentPeer.connect(url, 'web-1'), await AgentPeer.connect(url, 'web-2')];
  await same.join('spool-1', { version: '1.0.0' });
  await old.join('spool-2', { version: '0.9.0' });
  const { stdout, stderr } = await runMonctl(['version', '--all', '-o', 'json'], { MON_BACKEND: url });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([
    { program: 'backend', where: expect.any(String), version: '1.0.0 (API level 6.5.0)', count: 1, agrees: true },
    { program: 'agent', where: 'default/web-1', version: '1.0.0', count: 1, agrees: true },
    { program: 'agent', where: 'default/web-2', version: '0.9.0', count: 1, agrees: false },
    { program: 'monctl', where: 'here', version: '1.0.0', count: 1, agrees: true },
  ]);
  const table = await runMonctl(['version', '--all'], { MON_BACKEND: url });
  expect(table.stderr).toBe('different from the backend: 1 agent at 0.9.0\n');
});
