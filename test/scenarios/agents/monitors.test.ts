import { expect, test, vi } from 'vitest';
import { ClockedFleet } from '../../support/clocked-fleet.ts';

const START_MS = Date.parse('2026-01-01T10:00:00Z');

/**
 * A check that the machine runs at 10:00:00, 10:30:00 and so on. Its result becomes stale after a minute and a half.
 */
const backup = { command: 'echo done', standalone: true, cron: '*/30 * * * *', ttl: 90, ttl_status: 2 };

test('a check opens an event in the second in which its TTL expires, and the next result resolves the event', async () => {
  await using fleet = await ClockedFleet.open(START_MS - 1000);
  const { api } = fleet;
  await fleet.agent('db-1', { checks: { backup } });
  await fleet.pass(1);
  await vi.waitFor(async () => expect(await api.result('db-1', 'backup')).toMatchObject({ check: { status: 0 } }));
  await fleet.pass(89);
  expect(await api.event('db-1', 'backup')).toBeUndefined();
  await fleet.pass(1);
  expect(await api.event('db-1', 'backup')).toMatchObject({
    check: { status: 2, output: 'Last check execution was 90 seconds ago' },
    occurrences: 1,
  });
  // Every half minute, the backend records another stale result with a higher age.
  await fleet.pass(60);
  expect(await api.event('db-1', 'backup')).toMatchObject({
    check: { output: 'Last check execution was 150 seconds ago' },
    occurrences: 3,
  });
  await fleet.pass(28 * 60, 10);
  expect(await api.event('db-1', 'keepalive')).toBeUndefined();
  await fleet.pass(30, 10);
  await vi.waitFor(async () => {
    expect(await api.event('db-1', 'backup')).toBeUndefined();
    expect(await api.result('db-1', 'backup')).toMatchObject({ check: { status: 0, output: 'done\n' } });
  });
});

test('a client without keepalives has one event instead of one for each check, until its keepalives return', async () => {
  await using fleet = await ClockedFleet.open(START_MS - 1000);
  const { api } = fleet;
  const agent = await fleet.agent('db-1', { checks: { backup: { ...backup, ttl: 600 } } });
  await fleet.agent('db-2');
  await fleet.pass(1);
  await vi.waitFor(async () => expect(await api.result('db-1', 'backup')).toMatchObject({ check: { status: 0 } }));
  await agent.stop();

  await fleet.pass(120, 10);
  expect(await api.event('db-1', 'keepalive')).toMatchObject({
    check: { status: 1, output: expect.stringMatching(/^No keepalive sent from client for 1\d\d seconds \(>=120\)$/) },
  });
  await fleet.pass(60, 10);
  expect(await api.event('db-1', 'keepalive')).toMatchObject({
    check: { status: 2, output: expect.stringMatching(/^No keepalive sent from client for \d+ seconds \(>=180\)$/) },
  });
  await fleet.pass(10 * 60, 10);
  expect((await api.events()).map(({ client, check }) => `${client.name}/${check.name}`)).toEqual(['db-1/keepalive']);

  await fleet.agent('db-1');
  await fleet.pass(30, 10);
  expect(await api.event('db-1', 'keepalive')).toBeUndefined();
  // The machine has come back without the check, so the check itself is now stale.
  await fleet.pass(30, 10);
  expect((await api.events()).map(({ client, check }) => `${client.name}/${check.name}`)).toEqual(['db-1/backup']);
});

test('a client whose keepalives stop while the backend is down opens its event after the restart, like a stale check', async () => {
  await using fleet = await ClockedFleet.open(START_MS - 1000);
  await fleet.agent('db-2', { checks: { backup } });
  const agent = await fleet.agent('db-1');
  await fleet.pass(1);
  await vi.waitFor(async () =>
    expect(await fleet.api.result('db-2', 'backup')).toMatchObject({ check: { status: 0 } }),
  );
  await agent.stop();
  await fleet.stopBackend();
  await fleet.pass(600, 10);
  await fleet.startBackend();
  await fleet.pass(60, 10);
  const events = await fleet.api.events();
  expect(events.map(({ client, check }) => `${client.name}/${check.name}`).toSorted()).toEqual([
    'db-1/keepalive',
    'db-2/backup',
  ]);
  expect(events.map(({ check }) => check.output).toSorted()).toEqual([
    expect.stringMatching(/^Last check execution was 6\d\d seconds ago$/),
    expect.stringMatching(/^No keepalive sent from client for 6\d\d seconds \(>=180\)$/),
  ]);
});
