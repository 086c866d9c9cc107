import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AgentFleet } from '../../support/agent-fleet.ts';
import { isAlive } from '../../support/is-alive.ts';
import { recordsRuns, type RecordedRun } from '../../support/recorded-runs.ts';

/** Three machines in three racks. Two of them run checks for proxy clients. */
const MACHINES = [
  { name: 'web-1', rack: 'r1', subscriptions: ['web', 'roundrobin:pool', 'roundrobin:poller'] },
  { name: 'web-2', rack: 'r2', subscriptions: ['web', 'roundrobin:pool', 'roundrobin:poller'] },
  { name: 'web-3', rack: 'r3', subscriptions: ['web', 'roundrobin:pool'] },
];
const NAMES = MACHINES.map(({ name }) => name);

const definitions = (dir: string): Readonly<Record<string, unknown>> => ({
  load: { ...recordsRuns(dir), subscribers: ['web'], interval: 1, place: ':::rack:::', team: ':::team|ops:::' },
  elsewhere: { ...recordsRuns(dir), subscribers: ['db'], interval: 1 },
  probe: { ...recordsRuns(dir), subscribers: ['roundrobin:pool'], interval: 1 },
  snmp: {
    ...recordsRuns(dir),
    subscribers: ['roundrobin:poller'],
    interval: 2,
    target: ':::address:::',
    proxy_requests: { client_attributes: { kind: 'switch' } },
  },
  app: {
    command: 'echo app is down on :::name:::; exit 2',
    subscribers: ['web'],
    interval: 1,
    hooks: { critical: { command: 'echo seen from :::rack:::' }, 'non-zero': { command: 'echo not this one' } },
  },
  token: { command: 'echo :::disk.path::: :::nope:::', subscribers: ['web'], interval: 1 },
  stuck: {
    // None of these processes reacts to SIGTERM.
    command: `trap '' TERM; echo begun; sh -c 'trap "" TERM; sleep 600 & echo $! $PPID $$ > ${dir}/pids; wait'`,
    subscribers: ['client:web-1'],
    interval: 3600,
    // The timeout is long enough for the command to start, even on a slow machine.
    timeout: 2,
  },
});

let fleet: AgentFleet;

beforeAll(async () => {
  fleet = await AgentFleet.open(definitions);
  for (const at of [1, 2, 3]) {
    await fleet.api.saveClient({ name: `sw-${String(at)}`, address: `192.0.2.${String(at)}`, kind: 'switch' });
  }
  await fleet.api.saveClient({ name: 'router', address: '192.0.2.9', kind: 'router' });
  const own = { ...recordsRuns(fleet.dir), standalone: true, interval: 1, playbook: 'https://wiki.example.org' };
  await Promise.all(
    MACHINES.map(({ name, ...about }) => fleet.agent(name, { ...about, checks: name === 'web-1' ? { own } : {} })),
  );
});
afterAll(() => fleet[Symbol.asyncDispose]());

/** Waits until a check has run at least this many times, and returns the runs. */
async function runsOf(name: string, count: number): Promise<RecordedRun[]> {
  return await vi.waitFor(async () => {
    const runs = (await fleet.runs()).filter(({ check }) => check.name === name);
    expect(runs.length).toBeGreaterThanOrEqual(count);
    return runs;
  });
}

test('a check runs on every client of its subscription, once for each request, with the attributes of the client', async () => {
  const runs = await runsOf('load', 6);
  for (const { name, rack } of MACHINES) {
    const checks = runs.filter(({ client }) => client.name === name).map(({ check }) => check);
    expect(checks.length).toBeGreaterThan(0);
    for (const check of checks) expect(check).toMatchObject({ place: rack, team: 'ops' });
    expect(new Set(checks.map(({ issued }) => issued)).size).toBe(checks.length);
  }
  await vi.waitFor(async () => {
    const results = await fleet.api.results({ check: 'load' });
    expect(results.map(({ client }) => client).toSorted()).toEqual(NAMES);
    for (const { check } of results) expect(check).toMatchObject({ status: 0, interval: 1 });
  });
  expect(await fleet.api.results({ check: 'elsewhere' })).toEqual([]);
});

test('a standalone check runs only on its own client', async () => {
  const runs = await runsOf('own', 2);
  expect(new Set(runs.map(({ client }) => client.name))).toEqual(new Set(['web-1']));
  await vi.waitFor(async () => {
    expect(await fleet.api.results({ check: 'own' })).toMatchObject([
      { client: 'web-1', check: { standalone: true, playbook: 'https://wiki.example.org', status: 0 } },
    ]);
  });
});

test('the clients of a round-robin subscription take turns in running the check', async () => {
  const runs = await runsOf('probe', 3);
  const issued = runs.map(({ check }) => check.issued);
  expect(new Set(issued).size).toBe(issued.length);
  // An agent may join between two runs at the start of the test, so wait until three runs in a row are on three agents.
  await vi.waitFor(async () => {
    const last = (await runsOf('probe', 3)).slice(-3);
    expect(last.map(({ client }) => client.name).toSorted()).toEqual(NAMES);
  });
});

test('a check for proxy clients runs once for each on a polling client, and the results belong to the proxy clients', async () => {
  const runs = await runsOf('snmp', 3);
  expect(new Set(runs.map(({ check }) => check.source))).toEqual(new Set(['sw-1', 'sw-2', 'sw-3']));
  for (const { client, check } of runs) {
    expect(['web-1', 'web-2']).toContain(client.name);
    expect(check['target']).toBe(check.source?.replace('sw-', '192.0.2.'));
  }
  await vi.waitFor(async () => {
    const results = await fleet.api.results({ check: 'snmp' });
    expect(results.map(({ client }) => client).toSorted()).toEqual(['sw-1', 'sw-2', 'sw-3']);
    for (const { check } of results) expect(['web-1', 'web-2']).toContain(check['origin']);
  });
});

test('the event of a failing check contains the output of the hook of the check', async () => {
  await vi.waitFor(async () => {
    expect(await fleet.api.event('web-3', 'app')).toMatchObject({
      check: {
        // The command as it was defined, with its token, because the replacement of a token may be secret.
        command: 'echo app is down on :::name:::; exit 2',
        output: 'app is down on web-3\n',
        status: 2,
        hooks: {
          critical: { command: 'echo seen from :::rack:::', output: 'seen from r3\n', status: 0 },
          'non-zero': { command: 'echo not this one' },
        },
      },
    });
  });
});

test('a check with a token does not run on a client without a value for the token', async () => {
  await vi.waitFor(async () => {
    expect(await fleet.api.event('web-2', 'token')).toMatchObject({
      check: { output: 'Unmatched check token(s): disk.path, nope', status: 3, handle: false },
    });
  });
});

test('a check that exceeds its timeout is killed with all of its descendants', async () => {
  await fleet.api.requestCheck({ check: 'stuck' });
  await vi.waitFor(async () => {
    expect(await fleet.api.event('web-1', 'stuck')).toMatchObject({
      check: { status: 2, output: 'Execution timed out\nbegun\n' },
    });
  });
  const tree = (await readFile(join(fleet.dir, 'pids'), 'utf8')).trim().split(' ').map(Number);
  expect(tree).toHaveLength(3);
  await vi.waitFor(() => expect(tree.filter(isAlive)).toEqual([]));
});
