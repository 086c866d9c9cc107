// Process of the clients that the hostile clients must not harm: agents that send results, and operators that send
// requests.
import { setTimeout as delay } from 'node:timers/promises';
import { quantileOf } from '../../../scripts/bench/report.ts';
import { HonestAgent } from './honest-agent.ts';
import type { HonestResponse, HonestOrders, HonestRequest } from './messages.ts';

const TICK_MS = 20;
const REQUEST_MS_MAX = 10_000;
const FAILURES_TOLD_MAX = 5;

let agents: readonly HonestAgent[] = [];
let latencies: number[] = [];
const draining = new AbortController();
const requests = { count: 0, failures: [] as string[], slowestMs: 0 };

process.on('message', (request: HonestRequest) => {
  switch (request.kind) {
    case 'start':
      void start(request);
      break;
    case 'report':
      report();
      break;
    case 'drain':
      void drain();
      break;
  }
});
process.on('disconnect', () => process.exit());

function tell(answer: HonestResponse): void {
  process.send?.(answer);
}

function onAck(ms: number): void {
  latencies.push(ms);
}

async function start(orders: HonestOrders): Promise<void> {
  const { url, keys, checksEach: checks } = orders;
  agents = Array.from(
    { length: orders.agents },
    (_, at) => new HonestAgent(`honest-${String(at)}`, { url, key: keys.submit, checks, onAck }),
  );
  while (!agents.every(({ isConnected }) => isConnected)) await delay(TICK_MS);
  tell({ kind: 'ready' });
  void operate(orders);
  const startedAt = performance.now();
  for (let sent = 0; !draining.signal.aborted; await delay(TICK_MS)) {
    const due = ((performance.now() - startedAt) * orders.resultsPerSecond) / 1000;
    for (; sent < due; sent++) agents[sent % agents.length]?.report();
    for (const agent of agents) agent.flush();
  }
}

/** Sends the typical requests of operators once a second. */
async function operate({ url, keys }: HonestOrders): Promise<void> {
  const id = 'client:honest-0:check-0';
  const steps: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['GET', '/health'],
    ['GET', '/clients/honest-0'],
    ['GET', '/results/honest-0'],
    ['GET', '/events/honest-0'],
    ['POST', '/silenced', { subscription: 'client:honest-0', check: 'check-0', expire: 60 }],
    ['POST', '/silenced/clear', { id }],
    ['GET', '/api/mon/v1/overview'],
  ];
  for (; !draining.signal.aborted; await delay(1000)) {
    for (const [method, path, body] of steps) {
      const startedAt = performance.now();
      requests.count++;
      try {
        const answer = await fetch(url + path, {
          method,
          headers: { Authorization: `Key ${keys.admin}` },
          signal: AbortSignal.timeout(REQUEST_MS_MAX),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        await answer.arrayBuffer();
        if (!answer.ok) requests.failures.push(`${method} ${path}: ${String(answer.status)}`);
      } catch (error) {
        requests.failures.push(`${method} ${path}: ${String(error)}`);
      }
      requests.slowestMs = Math.max(requests.slowestMs, performance.now() - startedAt);
    }
  }
}

function report(): void {
  tell({
    kind: 'figures',
    acked: latencies.length,
    p50Ms: quantileOf(latencies, 0.5),
    p99Ms: quantileOf(latencies, 0.99),
    reconnects: agents.reduce((sum, { reconnects }) => sum + reconnects, 0),
    requests: requests.count,
    failures: requests.failures.slice(0, FAILURES_TOLD_MAX),
    slowestMs: requests.slowestMs,
  });
  latencies = [];
  Object.assign(requests, { count: 0, failures: [], slowestMs: 0 });
}

async function drain(): Promise<void> {
  draining.abort();
  while (!agents.every(({ isDrained }) => isDrained)) {
    for (const agent of agents) agent.flush();
    await delay(TICK_MS);
  }
  tell({
    kind: 'drained',
    rejected: agents.reduce((sum, { rejected }) => sum + rejected, 0),
    last: Object.fromEntries(agents.map((agent) => [agent.name, agent.last()])),
  });
}
