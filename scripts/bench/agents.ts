import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { connectionLimits } from '../../shared/domain/connection-limits.ts';
import { AGENT_PATH, AGENT_PROTOCOL, KEEPALIVE_SECONDS, type BackendMessage } from '../../shared/schemas/agent.ts';
import { startBackend } from './backend-process.ts';
import { openFilesMax } from '../../daemon/backend/store/open-files.ts';
import { cpuMs, memoryMiB } from './process-figures.ts';
import { formatNumber, quantileOf, reportFigure } from './report.ts';

const AGENT_COUNT = 5000;
const CHECK_COUNT = 10;
const INTERVAL_S = 10;
/** Number of idle agents: 20,000, or fewer if the limit of open files does not allow that many connections. */
const IDLE_AGENTS = Math.min(20_000, connectionLimits(20_000, undefined, openFilesMax()).all - 10);
/** The benchmark exceeds the default limit of entities. */
const UNLIMITED_SETTINGS = { 'entity-limit': 'unlimited' };
/** Number of concurrent handshakes. Real agents reconnect with jitter, not all at once. */
const CONCURRENT_HANDSHAKES = 200;

/**
 * Measures a fleet of agents on one backend, over real WebSockets: the cost of 5,000 agents with ten checks every ten
 * seconds, a storm of reconnects, and the memory of 20,000 idle agents.
 */
export async function measureAgents(seconds: number): Promise<void> {
  await measureWorkingFleet(Math.max(seconds, 2 * INTERVAL_S));
  await measureIdleFleet();
}

async function measureWorkingFleet(seconds: number): Promise<void> {
  await using backend = await startBackend({ settings: { ...UNLIMITED_SETTINGS, checks: buildChecks() } });
  const before = memoryMiB(backend.pid);
  const agents = await connectAll(backend.url, AGENT_COUNT, ['fleet']);
  // Wait for one interval without measuring, because the first results of 50,000 keys create their records.
  await sleep(INTERVAL_S * 1000);
  const [cpuBefore, ackedBefore, startedAt] = [cpuMs(backend.pid), sumOfAcknowledged(agents), performance.now()];
  for (const agent of agents) agent.latencies = [];
  await sleep(seconds * 1000);
  const elapsedMs = performance.now() - startedAt;
  const latencies = agents.flatMap((agent) => agent.latencies);
  const rate = ((sumOfAcknowledged(agents) - ackedBefore) * 1000) / elapsedMs;
  reportFigure(
    `${formatNumber(AGENT_COUNT)} agents, ${String(CHECK_COUNT)} checks each at ${String(INTERVAL_S)} s: results`,
    rate,
    '/s',
  );
  reportFigure('CPU of the backend', ((cpuMs(backend.pid) - cpuBefore) * 100) / elapsedMs, '%', 'of one core');
  reportFigure(
    'from request to stored result, p50 / p99',
    [quantileOf(latencies, 0.5), quantileOf(latencies, 0.99)],
    'ms',
  );
  reportFigure(
    'memory for each agent and its ten results',
    ((memoryMiB(backend.pid) - before) * 1024) / AGENT_COUNT,
    'KiB',
  );

  for (const agent of agents) agent.drop();
  const stormAt = performance.now();
  const returned = await connectAll(backend.url, AGENT_COUNT, ['fleet']);
  reportFigure(
    `all ${formatNumber(AGENT_COUNT)} reconnect at once`,
    (performance.now() - stormAt) / 1000,
    's',
    'goal under 15',
  );
  for (const agent of returned) agent.drop();
}

async function measureIdleFleet(): Promise<void> {
  await using backend = await startBackend({ settings: UNLIMITED_SETTINGS });
  const before = memoryMiB(backend.pid);
  const agents = await connectAll(backend.url, IDLE_AGENTS, ['idle']);
  // Wait until every agent has sent a keepalive and the backend has stored a keepalive result for each.
  await sleep((KEEPALIVE_SECONDS + 15) * 1000);
  const memory = ((memoryMiB(backend.pid) - before) * 1024) / agents.length;
  reportFigure(
    `memory for each of ${formatNumber(agents.length)} idle agents with keepalives`,
    memory,
    'KiB',
    'goal 30',
  );
  for (const agent of agents) agent.drop();
}

/** Returns the definitions of ten checks for the whole fleet. Their different names spread them over the interval. */
function buildChecks(): object {
  const check = { command: 'true', subscribers: ['fleet'], interval: INTERVAL_S };
  return Object.fromEntries(Array.from({ length: CHECK_COUNT }, (_, at) => [`fleet-check-${String(at)}`, check]));
}

async function connectAll(url: string, total: number, subscriptions: readonly string[]): Promise<FleetAgent[]> {
  const agents: FleetAgent[] = [];
  let next = 0;
  const connectMore = async (): Promise<void> => {
    while (next < total) agents.push(await FleetAgent.connect(url, `agent-${String(next++)}`, subscriptions));
  };
  await Promise.all(Array.from({ length: CONCURRENT_HANDSHAKES }, connectMore));
  return agents;
}

/** A simulated agent that responds to every check request at once, as if its checks took no time. */
class FleetAgent {
  acked = 0;
  latencies: number[] = [];
  readonly #socket: WebSocket;
  readonly #keepalive: NodeJS.Timeout;
  readonly #requestedAt = new Map<number, number>();
  #sent: number;

  constructor(socket: WebSocket, client: object, sent: number) {
    this.#socket = socket;
    this.#sent = sent;
    this.acked = sent;
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString()) as BackendMessage));
    this.#keepalive = setInterval(() => this.#send({ type: 'keepalive', client }), KEEPALIVE_SECONDS * 1000);
  }

  static async connect(url: string, name: string, subscriptions: readonly string[]): Promise<FleetAgent> {
    const socket = new WebSocket(url.replace('http', 'ws') + AGENT_PATH, AGENT_PROTOCOL, { perMessageDeflate: false });
    await once(socket, 'open');
    const client = { name, address: '127.0.0.1', subscriptions };
    socket.send(JSON.stringify({ type: 'hello', client, spool: 'bench' }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    const welcome = JSON.parse(data.toString()) as BackendMessage;
    if (welcome.type !== 'welcome') throw new Error(`unexpected ${data.toString()}`);
    return new FleetAgent(socket, client, welcome.acked);
  }

  drop(): void {
    clearInterval(this.#keepalive);
    this.#socket.terminate();
  }

  #receive(message: BackendMessage): void {
    if (message.type === 'check_request') {
      this.#sent++;
      this.#requestedAt.set(this.#sent, performance.now());
      const { name, issued } = message.check;
      const check = { name, issued, status: 0, output: 'OK - all is well here', duration: 0.001 };
      this.#send({ type: 'results', results: [{ id: this.#sent, check }] });
    } else if (message.type === 'ack') {
      for (; this.acked < message.id; this.acked++) {
        this.latencies.push(performance.now() - (this.#requestedAt.get(this.acked + 1) ?? NaN));
        this.#requestedAt.delete(this.acked + 1);
      }
    } else {
      throw new Error(`unexpected ${JSON.stringify(message)}`);
    }
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }
}

function sumOfAcknowledged(agents: readonly FleetAgent[]): number {
  return agents.reduce((sum, agent) => sum + agent.acked, 0);
}
