import type { WebSocket } from 'ws';
import { hasOneConsumer } from '../../../shared/domain/subscription.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { Batcher } from '../pipeline/batcher.ts';
import type { Clients } from '../pipeline/clients.ts';
import type { Results } from '../pipeline/results.ts';
import type { Registry } from '../registry/registry.ts';
import { AgentConnection } from './agent-connection.ts';

/** What connections of agents need from the rest of the backend. */
export interface AgentParts {
  readonly batcher: Batcher;
  readonly results: Results;
  readonly clients: Clients;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
}

/** Agents that stay silent this long are asked; those that do not answer are cut off. */
const HEARTBEAT_MS = 30_000;

/** The connected agents: finds them by subscription, and lets their frames wait while the queue is full. */
export class AgentHub implements Disposable {
  readonly #parts: AgentParts;
  /** Every connection, with the subscriptions under which it can be found. */
  readonly #connections = new Map<AgentConnection, readonly string[]>();
  readonly #byName = new Map<string, AgentConnection>();
  readonly #bySubscription = new Map<string, Set<AgentConnection>>();
  /** Connections with something to tell or to take up again after a commit. */
  readonly #pending = new Set<AgentConnection>();
  readonly #parked: Disposable[];

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#parked = [
      parts.batcher.onRest(() => this.#afterCommit()),
      parts.clock.every(HEARTBEAT_MS, () => {
        for (const connection of this.#connections.keys()) connection.beat();
      }),
    ];
  }

  /** Connected agents. */
  get size(): number {
    return this.#byName.size;
  }

  /** Takes over an opened socket that speaks `AGENT_PROTOCOL`. */
  accept(socket: WebSocket): void {
    const connection = new AgentConnection(socket, this.#parts, {
      joined: () => this.#join(connection),
      left: () => this.#leave(connection),
      waits: () => this.#pending.add(connection),
    });
    this.#connections.set(connection, []);
  }

  /** Sends a check request to every agent of a subscription, or to the next one in turn (completion 1.13). */
  publish(subscription: string, check: CheckRequest): void {
    const connections = this.#bySubscription.get(subscription);
    if (connections === undefined) return;
    if (hasOneConsumer(subscription)) sendToNext(connections, check);
    else for (const connection of connections) connection.request(check);
  }

  [Symbol.dispose](): void {
    for (const part of this.#parked) part[Symbol.dispose]();
  }

  /** One acknowledgement per connection and commit, however many frames were in it. */
  #afterCommit(): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const connection of pending) connection.proceed();
  }

  #join(connection: AgentConnection): void {
    // An agent that comes back before its old connection was found dead takes its place.
    const before = this.#byName.get(connection.name);
    if (before !== connection) before?.close(4001, 'another agent with this name has connected');
    this.#byName.set(connection.name, connection);
    this.#unsubscribe(connection);
    this.#connections.set(connection, connection.subscriptions);
    for (const subscription of connection.subscriptions) {
      const connections = this.#bySubscription.get(subscription);
      if (connections === undefined) this.#bySubscription.set(subscription, new Set([connection]));
      else connections.add(connection);
    }
    this.#parts.log.info({ client: connection.name, subscriptions: connection.subscriptions }, 'agent connected');
  }

  #leave(connection: AgentConnection): void {
    this.#unsubscribe(connection);
    this.#connections.delete(connection);
    this.#pending.delete(connection);
    if (this.#byName.get(connection.name) !== connection) return;
    this.#byName.delete(connection.name);
    this.#parts.log.info({ client: connection.name }, 'agent disconnected');
  }

  #unsubscribe(connection: AgentConnection): void {
    for (const subscription of this.#connections.get(connection) ?? []) {
      const connections = this.#bySubscription.get(subscription);
      connections?.delete(connection);
      if (connections?.size === 0) this.#bySubscription.delete(subscription);
    }
  }
}

/** Whoever is asked goes to the end of the line, where those who join stand as well. */
function sendToNext(line: Set<AgentConnection>, check: CheckRequest): void {
  for (let left = line.size; left > 0; left--) {
    const [connection] = line;
    if (connection === undefined) return;
    line.delete(connection);
    line.add(connection);
    if (connection.request(check)) return;
  }
}
