// Idle agents. Each stays connected to the first of its backends that accepts it, as `mon-agent` does, and
// sends keepalives.
import { WebSocket } from 'ws';
import { backoffMs } from '../../shared/domain/backoff.ts';
import { AGENT_PATH, AGENT_PROTOCOL, KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';

/** The order to the process. */
export interface FleetOrder {
  /** The backends in the order in which they are tried. */
  readonly backends: readonly string[];
  readonly agents: number;
  /** Prefix of the agents' names. */
  readonly name: string;
  /** The third byte of their loopback addresses, which start at 127.0.NET.1. */
  readonly net: number;
}

/** The report of the process, sent several times a second. */
export interface FleetReport {
  readonly connected: number;
}

/**
 * Agents of one address. The number of ports is limited, and a backend limits the connections of one address.
 */
const AGENTS_OF_ADDRESS = 1000;
const REPORT_MS = 50;
/** The delays of `mon-agent`: before it tries the next backend, and after all have rejected it. */
const NEXT_BACKEND = { minMs: 100, maxMs: 1000 };
const RECONNECT = { minMs: 500, maxMs: 30_000 };
/** New connections per second at the start, so that no unintended connection storm is measured. */
const STARTED_EACH_SECOND = 1000;

const { backends, agents, name, net } = JSON.parse(process.argv[2] ?? '') as FleetOrder;
let connected = 0;

for (let at = 0; at < agents; at++) setTimeout(() => new IdleAgent(at).connect(), (at * 1000) / STARTED_EACH_SECOND);
process.once('disconnect', () => process.exit());
setInterval(() => process.send?.({ connected } satisfies FleetReport), REPORT_MS);

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
      connected++;
      this.#attempt = 0;
      keepalive = setInterval(
        () => this.#send(socket, { type: 'keepalive', client: this.#client }),
        KEEPALIVE_SECONDS * 1000,
      );
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (keepalive !== undefined) connected--;
      clearInterval(keepalive);
      this.#again();
    });
  }

  #again(): void {
    this.#backend++;
    this.#attempt++;
    const rounds = this.#attempt / backends.length;
    const isRound = Number.isInteger(rounds);
    const pauseMs = backoffMs(isRound ? rounds : 0, Math.random(), isRound ? RECONNECT : NEXT_BACKEND);
    setTimeout(() => this.connect(), pauseMs);
  }

  #send(socket: WebSocket, message: object): void {
    socket.send(JSON.stringify(message));
  }
}
