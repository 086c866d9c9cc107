import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { AGENT_PATH, AGENT_PROTOCOL, type BackendMessage } from '../../shared/schemas/agent.ts';
import { cpuMs } from './process-figures.ts';
import { quantileOf } from './report.ts';

/** Number of checks that each agent reports in rotation. */
export const CHECKS_PER_AGENT = 200;
export const RESULT_BYTES = 600;
/** Maximum number of unacknowledged results of one agent in a closed loop. */
const WINDOW_RESULTS = 32;
/** Execution time of every result, in epoch seconds. */
const EXECUTED_SECONDS = 1_700_000_000;
/** Duration of every result in seconds. */
const DURATION_SECONDS = 0.123;
const FRAME_START = '{"type":"results","results":[';
/** The end of the message with a delta result, after the id of its baseline. */
const DELTA_END = `"executed":${String(EXECUTED_SECONDS)},"issued":${String(EXECUTED_SECONDS)},"duration":${String(DURATION_SECONDS)}}]}`;

interface BenchAgentOptions {
  /** True if the agent sends every result in full, without delta results. Default: false. */
  readonly sendsFull?: boolean;
}

/** The last full result of a check, if its status is OK. Later results with the same text are sent as deltas to it. */
interface Baseline {
  readonly id: number;
  readonly text: string;
  /**
   * The text of delta results after their own id; `undefined` until the backend has confirmed that it stores this
   * baseline.
   */
  deltaText: string | undefined;
}

/** A simulated agent: a client of the agent protocol that does as little work per result as possible. */
export class BenchAgent {
  readonly #socket: WebSocket;
  #messages: readonly string[] = [];
  /** True for each message whose status is 0. */
  #isPassing: readonly boolean[] = [];
  /** The current baselines by the index of the check. */
  readonly #baselines: (Baseline | undefined)[] = [];
  /** The text with which the next message to the backend starts. */
  #frameStart = FRAME_START;
  readonly #sentAt: number[] = [];
  #sent = 0;
  #acked = 0;
  #closedLoop = false;
  #isClosed = false;
  onAcknowledged: ((sentAt: number) => void) | undefined;

  readonly #at: number;

  constructor(socket: WebSocket, at: number) {
    this.#socket = socket;
    this.#at = at;
    this.setHandlers(['default']);
    socket.on('message', (data: Buffer) => this.#receive(data.toString()));
    // Fail, because the benchmark would otherwise wait forever for acknowledgments.
    socket.on('close', (code, reason) => {
      if (!this.#isClosed)
        throw new Error(`agent-${String(at)} lost its connection: ${String(code)} ${reason.toString()}`);
    });
  }

  static async connect(url: string, at: number, { sendsFull = false }: BenchAgentOptions = {}): Promise<BenchAgent> {
    const socket = new WebSocket(url.replace('http', 'ws') + AGENT_PATH, AGENT_PROTOCOL, { perMessageDeflate: false });
    await once(socket, 'open');
    const name = `agent-${String(at)}`;
    const client = { name, address: '127.0.0.1', subscriptions: ['bench', 'linux'] };
    // Each process numbers its results from 1, and full results have a spool of their own.
    const spool = `bench-${String(process.pid)}${sendsFull ? '-full' : ''}`;
    socket.send(JSON.stringify({ type: 'hello', client, spool, ...(!sendsFull && { delta: true }) }));
    await once(socket, 'message');
    return new BenchAgent(socket, at);
  }

  static connectAll(url: string, agents: number, options: BenchAgentOptions = {}): Promise<BenchAgent[]> {
    return Promise.all(Array.from({ length: agents }, (_, at) => BenchAgent.connect(url, at, options)));
  }

  /** Makes later results name the given handlers. */
  setHandlers(handlers: readonly string[]): void {
    this.#setMessages(
      Array.from({ length: CHECKS_PER_AGENT }, (_, check) =>
        checkJson(`check-${String(check)}`, this.#at + check, handlers),
      ),
    );
  }

  /**
   * Makes the given share of the checks change their status in every round.
   *
   * @param more additional attributes of all results
   */
  change(share: number, more: object = {}): void {
    const round = (isOther: boolean): string[] =>
      Array.from({ length: CHECKS_PER_AGENT }, (_, check) => {
        // The changing checks fail in one round and are OK in the next one. Of the other checks, one in twenty always
        // fails.
        const at = check < share * CHECKS_PER_AGENT ? Number(isOther) : this.#at + check;
        return checkJson(`check-${String(check)}`, at, ['default'], more);
      });
    this.#setMessages([...round(false), ...round(true)]);
  }

  get acked(): number {
    return this.#acked;
  }

  get unacknowledged(): number {
    return this.#sent - this.#acked;
  }

  start(): void {
    this.#closedLoop = true;
    while (this.unacknowledged < WINDOW_RESULTS) this.send();
  }

  stop(): void {
    this.#closedLoop = false;
  }

  send(): void {
    this.#sent++;
    this.#sentAt[this.#sent % 4096] = performance.now();
    this.#sendResult(this.#sent);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  /**
   * Replaces the messages that the agent sends.
   *
   * @param messages results for all checks, round by round
   */
  #setMessages(messages: readonly string[]): void {
    this.#messages = messages;
    this.#isPassing = messages.map((text) => (JSON.parse(text) as { status: number }).status === 0);
  }

  #sendResult(id: number): void {
    const at = id % this.#messages.length;
    const check = id % CHECKS_PER_AGENT;
    const text = this.#messages[at] ?? '';
    const baseline = this.#baselines[check];
    const start = this.#frameStart;
    this.#frameStart = FRAME_START;
    if (baseline?.deltaText !== undefined && baseline.text === text) {
      this.#socket.send(`${start}{"id":${String(id)},${baseline.deltaText}`);
      return;
    }
    this.#baselines[check] = this.#isPassing[at] === true ? { id, text, deltaText: undefined } : undefined;
    this.#socket.send(`${start}{"id":${String(id)},"check":${text}}]}`);
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as BackendMessage;
    if (message.type === 'ack') this.#acknowledged(message.id, message.baselines);
    else if (message.type === 'resend') this.#resend(message.after);
    else throw new Error(`unexpected ${text}`);
  }

  #acknowledged(acked: number, baselines: readonly number[] = []): void {
    for (const id of baselines) {
      const baseline = this.#baselines[id % CHECKS_PER_AGENT];
      if (baseline?.id === id) baseline.deltaText = `"baseline":${String(id)},${DELTA_END}`;
    }
    for (let id = this.#acked + 1; id <= acked; id++) this.onAcknowledged?.(this.#sentAt[id % 4096] ?? NaN);
    this.#acked = acked;
    if (this.#closedLoop) while (this.unacknowledged < WINDOW_RESULTS) this.send();
  }

  /** Resends all results after the given id. Their latency still counts from the first time they were sent. */
  #resend(after: number): void {
    if (after > this.#sent) throw new Error(`asked for results after ${String(after)} of ${String(this.#sent)}`);
    this.#baselines.fill(undefined);
    this.#frameStart = `{"type":"results","resume_after":${String(after)},"results":[`;
    for (let id = after + 1; id <= this.#sent; id++) this.#sendResult(id);
  }
}

/** Returns a result as JSON; one in twenty has the status critical. */
export function checkJson(
  name: string,
  at: number,
  handlers: readonly string[] = ['default'],
  more: object = {},
): string {
  const status = at % 20 === 0 ? 2 : 0;
  return resultJson({ name, status, handlers, issued: EXECUTED_SECONDS, executed: EXECUTED_SECONDS, ...more });
}

/** Returns a result as JSON of about `RESULT_BYTES`; the output is filled up to that size. */
export function resultJson(result: { readonly name: string; readonly [attribute: string]: unknown }): string {
  const check = {
    output: '',
    interval: 60,
    subscribers: ['linux'],
    command: `/usr/lib/mon/plugins/${result.name} -w 80 -c 90 --verbose`,
    handlers: ['default'],
    duration: DURATION_SECONDS,
    team: 'operations',
    ...result,
  };
  const fill = RESULT_BYTES - JSON.stringify(check).length;
  return JSON.stringify({
    ...check,
    output: 'DISK OK - free space: / 3326 MiB (56% inode=88%); '.repeat(20).slice(0, fill),
  });
}

export interface MeasuredLoad {
  /** Acknowledged results per second. */
  readonly rate: number;
  /**
   * CPU time of all threads of the backend per result. It shows the cost of a change regardless of other load on the
   * machine.
   */
  readonly cpuMicroseconds: number;
  /** CPU time per result of this process, which sends the results. */
  readonly ownCpuMicroseconds: number;
}

/** Sends results as fast as possible, with a limit on unacknowledged results. */
export async function closedLoop(agents: readonly BenchAgent[], pid: number, ms: number): Promise<MeasuredLoad> {
  const before = sumOfAcknowledged(agents);
  const cpuBefore = cpuMs(pid);
  const ownBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (const agent of agents) agent.start();
  await sleep(ms);
  const results = sumOfAcknowledged(agents) - before;
  const { user, system } = process.cpuUsage(ownBefore);
  const load = {
    rate: (results * 1000) / (performance.now() - startedAt),
    cpuMicroseconds: ((cpuMs(pid) - cpuBefore) * 1000) / results,
    ownCpuMicroseconds: (user + system) / results,
  };
  for (const agent of agents) agent.stop();
  while (agents.some(({ unacknowledged: waiting }) => waiting > 0)) await sleep(5);
  return load;
}

/**
 * Sends results at a given rate, independent of the acknowledgments. Latency counts from the time when a result was due
 * to be sent.
 */
export async function openLoop(
  agents: readonly BenchAgent[],
  rate: number,
  ms: number,
): Promise<{ p50: number; p99: number; reached: number }> {
  const latencies: number[] = [];
  for (const agent of agents) agent.onAcknowledged = (sentAt) => latencies.push(performance.now() - sentAt);
  const startedAt = performance.now();
  let sent = 0;
  while (performance.now() - startedAt < ms) {
    const due = ((performance.now() - startedAt) * rate) / 1000;
    for (; sent < due; sent++) agents[sent % agents.length]?.send();
    await sleep(1);
  }
  const reached = (sent * 1000) / (performance.now() - startedAt);
  while (agents.some(({ unacknowledged: waiting }) => waiting > 0)) await sleep(5);
  for (const agent of agents) agent.onAcknowledged = undefined;
  return { p50: quantileOf(latencies, 0.5), p99: quantileOf(latencies, 0.99), reached };
}

/**
 * Sends results at a given rate until `isOver` returns true; sends fewer if the backend cannot keep up.
 *
 * @returns acknowledged results per second
 */
export async function steadyLoop(
  agents: readonly BenchAgent[],
  rate: number,
  isOver: () => boolean,
): Promise<{ reached: number }> {
  const before = sumOfAcknowledged(agents);
  const startedAt = performance.now();
  for (let tick = 0; !isOver(); await sleep(1)) {
    const due = ((performance.now() - startedAt) * rate) / 1000;
    for (; tick < due; tick++) {
      const agent = agents[tick % agents.length];
      if (agent !== undefined && agent.unacknowledged < WINDOW_RESULTS) agent.send();
    }
  }
  const reached = ((sumOfAcknowledged(agents) - before) * 1000) / (performance.now() - startedAt);
  while (agents.some(({ unacknowledged: waiting }) => waiting > 0)) await sleep(5);
  return { reached };
}

export function sumOfAcknowledged(agents: readonly BenchAgent[]): number {
  return agents.reduce((sum, { acked }) => sum + acked, 0);
}
