// Simulates idle agents. Like `mon-agent`, each stays connected to the first backend in its list that accepts it, and
// sends keepalives.
import { WebSocket } from 'ws';
import { backoffMs } from '../../shared/domain/backoff.ts';
import { AGENT_PATH, AGENT_PROTOCOL, KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';

/** The options that the process gets at its start. */
export interface FleetOrder {
  /** URLs of the backends, in the order in which each agent tries them. */
  readonly backends: readonly string[];
  readonly agents: number;
  /** Prefix of the names of the agents. */
  readonly name: string;
  /** The third byte of the agents' loopback addresses, which start at 127.0.NET.1. */
  readonly net: number;
}

/** The report to the parent process, sent several times a second. */
export interface FleetReport {
  readonly connected: number;
}

/**
 * Number of agents with the same local address. An address has a limited number of ports, and a backend limits the
 * connections from one address.
 */
const AGENTS_OF_ADDRESS = 1000;
const REPORT_MS = 50;
/**
 * The reconnect delays of `mon-agent`: `NEXT_BACKEND` before it tries the next backend, and `RECONNECT_BACKOFF` after
 * all backends have rejected it.
 */
const NEXT_BACKEND = { minMs: 100, maxMs: 1000 };
const RECONNECT_BACKOFF = { minMs: 500, maxMs: 30_000 };
/** New connections per second at the start, so that the start is not an unintended storm of connections. */
const STARTED_EACH_SECOND = 1000;

const { backends, agents, name, net } = JSON.parse(process.argv[2] ?? '') as FleetOrder;
let connectedAgents = 0;

for (let at = 0; at < agents; at++) setTimeout(() => new IdleAgent(at).connect(), (at * 1000) / STARTED_EACH_SECOND);
process.once('disconnect', () => process.exit());
setInterval(() => process.send?.({ connected: connectedAgents } satisfies FleetReport), REPORT_MS);

class IdleAgent {
  readonly #localAddress: string;
  readonly #client: object;
  #backend = 0;
  #attempt = 0;

  constructor(at: number) {
    this.#localAddress = `127.0.${String(net)}.${String(1 + Math.floor(at / AGENTS_OF_ADDRESS))}`;
    this.#client = { name: `${name}-${String(at)}`, address: this.#localAddress, subscriptions: ['idle'] };
  }

  connect(): void {
    const url = backends[this.#backend % backends.length] ?? '';
    const socket = new WebSocket(url.replace('http', 'ws') + AGENT_PATH, AGENT_PROTOCOL, {
      perMessageDeflate: false,
      localAddress: this.#localAddress,
    });
    let keepalive: NodeJS.Timeout | undefined;
    socket.on('open', () => this.#send(socket, { type: 'hello', client: this.#client, spool: 'bench' }));
    socket.once('message', () => {
      connectedAgents++;
      this.#attempt = 0;
      keepalive = setInterval(
        () => this.#send(socket, { type: 'keepalive', client: this.#client }),
        KEEPALIVE_SECONDS * 1000,
      );
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (keepalive !== undefined) connectedAgents--;
      clearInterval(keepalive);
      this.#scheduleReconnect();
    });
  }

  #scheduleReconnect(): void {
    this.#backend++;
    this.#attempt++;
    const rounds = this.#attempt / backends.length;
    const isRound = Number.isInteger(rounds);
    const pauseMs = backoffMs(isRound ? rounds : 0, Math.random(), isRound ? RECONNECT_BACKOFF : NEXT_BACKEND);
    setTimeout(() => this.connect(), pauseMs);
  }

  #send(socket: WebSocket, message: object): void {
    socket.send(JSON.stringify(message));
  }
}
