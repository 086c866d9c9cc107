import { expect, onTestFinished, test } from 'vitest';
import { Definitions, type NamedCheck } from '../../../../daemon/backend/model/config/definitions.ts';
import { CheckRequests } from '../../../../daemon/backend/checks/runs.ts';
import type { StoreOp } from '../../../../daemon/backend/ports.ts';
import { encodeClient } from '../../../../daemon/backend/model/clients/client-record.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { clientKey } from '../../../../daemon/backend/model/clients/storage.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import type { CheckRequest } from '../../../../shared/schemas/agent.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';

interface Sent {
  readonly afterMs: number;
  readonly to: string;
  readonly check: CheckRequest;
}

/**
 * Returns a rig with `clients` proxy clients and a check for them that runs every 60 seconds.
 *
 * @param lateMs delay of every timer
 */
async function rig(clients: number, proxyRequests: object = { splay: true }, subscribers = ['poller'], lateMs = 0) {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const store = await openLevelStore(await tempDir());
  onTestFinished(() => store.close());
  const names = Array.from({ length: clients }, (_, at) => `sw-${String(at).padStart(5, '0')}`);
  const ops = names.map((name): StoreOp => {
    const about = { name, address: name, subscriptions: [`client:${name}`], timestamp: 1, version: '1.9.0' };
    const value = encodeClient({ client: { ...about, kind: 'switch' }, signature: '' });
    return { type: 'put', key: clientKey('default', name), value };
  });
  await store.write(await store.acquire('main', 30_000), ops, []);
  const registry = new Registry(TABLES);
  await registry.load(store);
  const sent: Sent[] = [];
  const requests = new CheckRequests({
    definitions: new Definitions({ checks: new Map(), handlers: new Map() }),
    registry,
    store,
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, task) => clock.after(delayMs + lateMs, task),
      every: (periodMs, task) => clock.every(periodMs, task),
    },
    log,
    publish: (_namespace, to, check) => sent.push({ afterMs: clock.monotonic(), to, check }),
  });
  const check: NamedCheck = {
    name: 'snmp',
    command: 'snmp :::address:::',
    interval: 60,
    subscribers,
    proxy_requests: { client_attributes: { kind: 'switch' }, ...proxyRequests },
  };
  return { clock, log, names, sent, requests, check };
}

const timesOf = (sent: readonly Sent[]): number[] => sent.map(({ afterMs }) => afterMs);

test.each<{ name: string; proxy: object; periodMs: number | undefined; expected: number[] }>([
  {
    name: 'over 90 % of the interval',
    proxy: { splay: true },
    periodMs: 60_000,
    expected: [0, 13_500, 27_000, 40_500],
  },
  {
    name: 'over the part of the interval that splay_coverage sets',
    proxy: { splay: true, splay_coverage: 50 },
    periodMs: 60_000,
    expected: [0, 7500, 15_000, 22_500],
  },
  {
    name: 'over the time to the next cron run',
    proxy: { splay: true, splay_coverage: 10 },
    periodMs: 3_600_000,
    expected: [0, 90_000, 180_000, 270_000],
  },
  {
    name: 'over the interval of a requested run',
    proxy: { splay: true },
    periodMs: undefined,
    expected: [0, 13_500, 27_000, 40_500],
  },
  { name: 'not at all without splay', proxy: {}, periodMs: 60_000, expected: [0, 0, 0, 0] },
  { name: 'not at all with splay: false', proxy: { splay: false }, periodMs: 60_000, expected: [0, 0, 0, 0] },
])('the check requests of proxy clients are spread correctly: $name', async ({ proxy, periodMs, expected }) => {
  const { clock, names, sent, requests, check } = await rig(4, proxy);
  await requests.publish('default', check, { periodMs });
  clock.advance(3_600_000);
  expect(timesOf(sent)).toEqual(expected);
  expect(sent.map(({ check: { source } }) => source)).toEqual(names);
  expect(clock.pending).toBe(0);
});

test('each splayed request has its own time and its own tokens, and goes to all subscriptions at once', async () => {
  const { clock, sent, requests, check } = await rig(2, { splay: true }, ['roundrobin:a', 'b']);
  await requests.publish('default', check, { periodMs: 60_000 });
  clock.advance(60_000);
  const startSeconds = ManualClock.START_MS / 1000;
  expect(
    sent.map(({ to, check: { source, command, issued } }) => [to, source, command, issued - startSeconds]),
  ).toEqual([
    ['roundrobin:a', 'sw-00000', 'snmp sw-00000', 0],
    ['b', 'sw-00000', 'snmp sw-00000', 0],
    ['roundrobin:a', 'sw-00001', 'snmp sw-00001', 27],
    ['b', 'sw-00001', 'snmp sw-00001', 27],
  ]);
});

test('each of 2,000 proxy clients gets one check request, and the requests are spread evenly', async () => {
  // There are more clients than milliseconds in the period of one second.
  const { clock, names, sent, requests, check } = await rig(2000);
  await requests.publish('default', check, { periodMs: 1000 });
  for (let passedMs = 0; passedMs < 1000; passedMs += 100) {
    expect(sent).toHaveLength(Math.min(2000, Math.floor(passedMs / 0.45) + 1));
    clock.advance(100);
  }
  expect(sent.map(({ check: { source } }) => source)).toEqual(names);
});

test('delays of late timers do not accumulate when check requests are spread', async () => {
  const { clock, sent, requests, check } = await rig(4, { splay: true }, ['poller'], 1000);
  await requests.publish('default', check, { periodMs: 60_000 });
  clock.advance(60_000);
  expect(timesOf(sent)).toEqual([0, 14_500, 28_000, 41_500]);
});

test('check requests that were not sent before the backend stops are dropped', async () => {
  const { clock, sent, requests, check } = await rig(4);
  await requests.publish('default', check, { periodMs: 60_000 });
  clock.advance(20_000);
  requests[Symbol.dispose]();
  clock.advance(60_000);
  expect(timesOf(sent)).toEqual([0, 13_500]);
  expect(clock.pending).toBe(0);
});

test('a check with proxy_requests that match no client sends no check request', async () => {
  const { clock, sent, requests, check } = await rig(0);
  await requests.publish('default', check, { periodMs: 60_000 });
  clock.advance(60_000);
  expect(sent).toEqual([]);
});
