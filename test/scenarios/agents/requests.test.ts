import { expect, test, vi } from 'vitest';
import { ClockedFleet } from '../../support/clocked-fleet.ts';
import { recordsRuns, type RecordedRun } from '../../support/recorded-runs.ts';

const START_MS = Date.parse('2026-01-01T10:00:00Z');

/** Waits until there are exactly this many runs, and returns them. */
async function runs(fleet: ClockedFleet, count: number): Promise<RecordedRun[]> {
  return await vi.waitFor(async () => {
    const all = await fleet.runs();
    expect(all).toHaveLength(count);
    // Every run has a result, so no run is in progress.
    const results = await fleet.api.results();
    const statuses = results.filter(({ check }) => check.name !== 'keepalive').flatMap(({ check }) => check.history);
    expect(statuses).toHaveLength(count);
    return all;
  });
}

const issued = (all: readonly RecordedRun[]): number[] => all.map(({ check }) => check.issued);

/**
 * Advances the clock to the next run of a check.
 *
 * @returns the time of that run according to the API, in epoch seconds
 */
async function passToNextRun(fleet: ClockedFleet, check: string): Promise<number> {
  const answer = await fetch(`${fleet.url}/api/mon/v1/checks/${check}`);
  const { next_run: next } = (await answer.json()) as { readonly next_run: number };
  await fleet.pass(next - fleet.clock.now() / 1000);
  return next;
}

const disk = (dir: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> => ({
  disk: { ...recordsRuns(dir), subscribers: ['web'], interval: 10 },
});

test('a check run that was due while the backend was down is skipped, and the next run happens on schedule', async () => {
  await using fleet = await ClockedFleet.open(START_MS, disk);
  await fleet.agent('web-1', { subscriptions: ['web'] });
  const first = await passToNextRun(fleet, 'disk');
  await fleet.pass(9);
  await fleet.stopBackend();
  // Pass the second in which the next run is due.
  await fleet.pass(2);
  await fleet.startBackend();
  await fleet.pass(9);
  expect(issued(await runs(fleet, 1))).toEqual([first]);
  await fleet.pass(1);
  expect(issued(await runs(fleet, 2))).toEqual([first, first + 20]);
});

test('a restart of the backend at any time neither repeats nor skips a scheduled check run', async () => {
  await using fleet = await ClockedFleet.open(START_MS, disk);
  const agent = await fleet.agent('web-1', { subscriptions: ['web'] });
  const first = await passToNextRun(fleet, 'disk');
  await fleet.pass(1);
  await runs(fleet, 1);
  for (let restart = 1; restart < 9; restart++) {
    await fleet.pass(restart - 1);
    await fleet.stopBackend();
    await fleet.startBackend();
    await fleet.pass(1);
    await vi.waitFor(() => {
      const connections = agent.log.messages('info').filter((message) => message === 'connected to the backend');
      expect(connections).toHaveLength(restart + 1);
    });
    await fleet.pass(10 - restart);
    expect(issued(await runs(fleet, restart + 1)).at(-1)).toBe(first + 10 * restart);
  }
});

test('check requests for proxy clients are spread over the interval, with one request for each proxy client', async () => {
  await using fleet = await ClockedFleet.open(START_MS, (dir) => ({
    snmp: {
      ...recordsRuns(dir),
      subscribers: ['roundrobin:poller'],
      interval: 30,
      proxy_requests: { client_attributes: { kind: 'eval: value == "switch"' }, splay: true, splay_coverage: 60 },
    },
  }));
  for (const name of ['sw-1', 'sw-2', 'sw-3']) await fleet.api.saveClient({ name, address: 'there', kind: 'switch' });
  await fleet.api.saveClient({ name: 'router', address: 'there', kind: 'router' });
  await fleet.agent('poller-1', { subscriptions: ['roundrobin:poller'] });
  await fleet.agent('poller-2', { subscriptions: ['roundrobin:poller'] });
  await passToNextRun(fleet, 'snmp');
  // The splay covers 60 % of 30 s: for 3 clients, one run every 6 s.
  for (let second = 0; second < 29; second++) {
    await fleet.pass(1);
    await runs(fleet, Math.min(3, Math.floor(second / 6) + 1));
  }
  const all = await fleet.runs();
  const [first = 0] = issued(all);
  expect(all.map(({ check }) => [check.source, check.issued - first])).toEqual([
    ['sw-1', 0],
    ['sw-2', 6],
    ['sw-3', 12],
  ]);
  expect(all.map(({ client }) => client.name)).toEqual(['poller-1', 'poller-2', 'poller-1']);
});

test('the remaining clients of a round robin take over the check runs of a client that stopped', async () => {
  await using fleet = await ClockedFleet.open(START_MS, (dir) => ({
    probe: { ...recordsRuns(dir), subscribers: ['roundrobin:pool'], interval: 1 },
  }));
  const about = { subscriptions: ['roundrobin:pool'] };
  await fleet.agent('web-1', about);
  const second = await fleet.agent('web-2', about);
  await fleet.agent('web-3', about);
  const turns = async (from: number, to: number): Promise<string[]> => {
    for (let count = from; count < to; count++) {
      await fleet.pass(1);
      await runs(fleet, count + 1);
    }
    return (await fleet.runs()).slice(from).map(({ client }) => client.name);
  };
  expect(await turns(0, 6)).toEqual(['web-1', 'web-2', 'web-3', 'web-1', 'web-2', 'web-3']);
  await second.stop();
  expect(await turns(6, 10)).toEqual(['web-1', 'web-3', 'web-1', 'web-3']);
  await fleet.agent('web-2', about);
  expect(new Set(await turns(10, 13))).toEqual(new Set(['web-1', 'web-2', 'web-3']));
});
