// Compares the heap size of objects with the size that the backend accounts for them, and prints the ratios as JSON.
// Usage: node --expose-gc measure-footprint.ts
import { randomUUID } from 'node:crypto';
import { Footprint } from '../../daemon/backend/model/registry/footprint.ts';
import { Namespace } from '../../daemon/backend/model/registry/namespace.ts';
import { CheckSeries } from '../../shared/domain/check-series.ts';
import { nextCheckState } from '../../shared/domain/event.ts';
import type { Client } from '../../shared/schemas/client.ts';
import { stashesOf } from '../../daemon/backend/model/stashes/state.ts';

const COUNT = 8000;
const NOW = 1_790_000_000;

/** Copies a value, so that it shares no strings, like a value that was received. */
function parsed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const aClient = (at: number, subscriptions = ['linux', 'web']): Client => ({
  name: `web-server-${String(at)}`,
  address: `10.0.${String(at >> 8)}.${String(at & 255)}`,
  subscriptions: [...subscriptions, `client:web-server-${String(at)}`],
  timestamp: NOW,
  version: '1.9.0',
});

function report(namespace: Namespace, client: number, check: string, status: number, aggregate?: string): void {
  const owner =
    namespace.clients.get(`web-server-${String(client)}`) ??
    namespace.putClient(parsed(aClient(client)), { signature: '' });
  const entry = namespace.ensureCheck(owner, parsed(check));
  const output = 'CheckDisk CRITICAL: / 95% used of 100 GiB';
  const result = { name: check, output, status, executed: NOW, issued: NOW, aggregate };
  const { state } = nextCheckState(entry.state, result, { now: NOW, newId: randomUUID });
  namespace.setCheck(entry, state, result, output);
}

const KINDS: Readonly<Record<string, (namespace: Namespace, at: number) => void>> = {
  clients: (namespace, at) => void namespace.putClient(parsed(aClient(at)), { signature: '' }),
  'clients like no other': (namespace, at) =>
    void namespace.putClient(parsed(aClient(at, [`role-${String(at)}`])), { signature: '' }),
  sources: (namespace, at) => report(namespace, at, 'ping', 0),
  'checks of few clients': (namespace, at) => report(namespace, at % 200, `check-${String(at % 100)}-${String(at)}`, 0),
  events: (namespace, at) => report(namespace, at % 200, `check-${String(at)}`, 2),
  series(namespace, at) {
    report(namespace, at % 200, `check-${String(at)}`, 0);
    const entry = namespace.check(`web-server-${String(at % 200)}`, `check-${String(at)}`);
    if (entry === undefined) return;
    const series = CheckSeries.empty(entry.client.name, entry.name);
    namespace.setSeries(entry, series);
    for (let step = 0; step < 6; step++) {
      const output = `OK | load1=${String(Math.random())};5;10;0; load5=${String(step)};4;6;0;`;
      series.add({ executed: NOW + step * 300, duration: Math.random(), output }, NOW + step * 300);
    }
  },
  members: (namespace, at) => report(namespace, at % 2000, `check-${String(at % 10)}`, 0, 'all'),
  silences(namespace, at) {
    const parts = { subscription: `client:web-server-${String(at)}`, check: 'disk' };
    const times = { begin: null, expireAtMs: NOW * 1000 + at, expire_on_resolve: false, timestamp: NOW };
    const id = `${parts.subscription}:${parts.check}`;
    namespace.silenced.put(parsed({ id, ...parts, reason: 'CHG-12345', creator: 'ada', ...times }));
  },
  stashes: (namespace, at) =>
    stashesOf(namespace).put(parsed({ path: `silence/web-server-${String(at)}`, expireAtMs: null })),
};

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const ratios = Object.entries(KINDS).map(([kind, put]) => {
  // Each function runs once before its measurement, so that the size of compiled code is not measured.
  put(new Namespace('warm-up'), 0);
  const footprint = new Footprint();
  const before = heapBytes();
  const namespace = new Namespace('default', footprint);
  for (let at = 0; at < COUNT; at++) put(namespace, at);
  const taken = heapBytes() - before;
  // The namespace is returned, so that it is not garbage-collected before the measurement ends.
  return { kind, ratio: footprint.bytes / taken, namespaces: [namespace.name] };
});
process.stdout.write(JSON.stringify(ratios.map(({ kind, ratio }) => [kind, ratio])));
