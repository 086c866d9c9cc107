import { hasOneConsumer } from '../../../shared/domain/subscription.ts';
import { AGENT_REPLACED, type CheckRequest } from '../../../shared/schemas/agent.ts';
import type { Change } from '../ports.ts';
import type { Admission } from '../access/admission.ts';
import type { V2AgentIdentity } from './agent-access.ts';
import { BaselineBudget } from '../results/baselines.ts';
import { AgentConnection, type KeptIdentity } from './agent-connection.ts';
import { V2AgentConnection } from './v2-agent-connection.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import { OutgoingRequest } from './outgoing-request.ts';
import { RejectedResults } from './rejected-results.ts';
import type { AgentParts, AgentLink, HubCallbacks } from './agent-link.ts';

/** The agents of one namespace. */
interface NamespaceAgents {
  readonly byName: Map<string, AgentLink>;
  readonly bySubscription: Map<string, Set<AgentLink>>;
}

/** Interval of the pings. A connection whose peer did not answer the previous one is closed. */
const HEARTBEAT_MS = 30_000;

/** The connected agents: finds them by subscription, and lets their frames wait while the queue is full. */
export class AgentHub implements Disposable {
  readonly #parts: AgentParts;
  /** Every connection, with the subscriptions under which it can be found. */
  readonly #connections = new Map<AgentLink, readonly string[]>();
  readonly #namespaces = new Map<string, NamespaceAgents>();
  /** Connections whose `proceed` is called after the next commit. */
  readonly #pending = new Set<AgentLink>();
  /** Connections whose client has changed, until they are informed. */
  readonly #changed = new Set<AgentLink>();
  readonly #rejected: RejectedResults;
  readonly #baselineBudget = new BaselineBudget();
  /** The generation of the registry entries to which baselines refer. */
  #generation: number;
  readonly #parked: Disposable[];

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#rejected = new RejectedResults(parts);
    this.#generation = parts.registry.generation;
    this.#parked = [
      this.#rejected,
      parts.batcher.commits.onCommit(({ changes }) => this.#noteChanges(changes)),
      parts.batcher.commits.onIdle(() => this.#afterCommit()),
      parts.clock.every(HEARTBEAT_MS, () => {
        for (const connection of this.#connections.keys()) connection.beat();
      }),
    ];
  }

  /** Connected agents. */
  get size(): number {
    let size = 0;
    for (const { byName } of this.#namespaces.values()) size += byName.size;
    return size;
  }

  /** Connected agents that cannot write results to their disk. */
  get unableToSpool(): number {
    let count = 0;
    for (const { cannotSpool } of this.#connections.keys()) if (cannotSpool === true) count += 1;
    return count;
  }

  /**
   * Accepts an opened socket that speaks `AGENT_PROTOCOL`.
   *
   * @param identity the identity that it stated when it connected, or to which its credentials limit it
   */
  accept(socket: FrameSocket, identity: KeptIdentity, admission: Admission): void {
    const parts = { ...this.#parts, rejected: this.#rejected, baselineBudget: this.#baselineBudget, admission };
    this.#add((membership) => new AgentConnection(socket, identity, parts, membership));
  }

  /**
   * Accepts an opened socket that speaks the protocol of v2 agents.
   *
   * @param identity the identity that it stated when it connected
   */
  acceptV2(socket: FrameSocket, identity: V2AgentIdentity, admission: Admission): void {
    const parts = { ...this.#parts, rejected: this.#rejected, baselineBudget: this.#baselineBudget, admission };
    const connection = this.#add((membership) => new V2AgentConnection(socket, identity, parts, membership));
    connection.begin();
  }

  #noteChanges(changes: readonly Change[]): void {
    for (const [kind, namespace, name] of changes) {
      const connection = kind === 'client' ? this.#namespaces.get(namespace)?.byName.get(name) : undefined;
      if (connection?.clientChanged !== undefined) this.#changed.add(connection);
    }
  }

  #add<Link extends AgentLink>(connect: (membership: HubCallbacks) => Link): Link {
    const connection = connect({
      joined: () => this.#join(connection),
      left: () => this.#leave(connection),
      waits: () => this.#pending.add(connection),
    });
    this.#connections.set(connection, []);
    return connection;
  }

  /** The connected agent of this name; undefined: there is none. */
  find(namespace: string, name: string): AgentLink | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name);
  }

  /** Sends a check request to every agent of a subscription, or to the next one in turn (completion 1.13). */
  publish(namespace: string, subscription: string, check: CheckRequest): void {
    const connections = this.#namespaces.get(namespace)?.bySubscription.get(subscription);
    if (connections === undefined) return;
    const isForOne = check['round_robin'] === true || hasOneConsumer(subscription);
    const request = new OutgoingRequest(check);
    if (isForOne) sendToNext(connections, request);
    else for (const connection of connections) connection.request(request);
  }

  [Symbol.dispose](): void {
    for (const part of this.#parked) part[Symbol.dispose]();
  }

  /**
   * Calls `proceed` of each waiting connection. Each sends one acknowledgement per commit, however many frames it had.
   */
  #afterCommit(): void {
    this.#discardOutdated();
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const connection of pending) connection.proceed();
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const connection of changed) connection.clientChanged?.();
  }

  /** Discards baselines after the registry was read again: they would keep the old entries in memory. */
  #discardOutdated(): void {
    const { generation } = this.#parts.registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    for (const connection of this.#connections.keys()) connection.discardBaselines?.();
  }

  #join(connection: AgentLink): void {
    const { namespace, name, subscriptions } = connection;
    const { byName, bySubscription } = this.#agentsOf(namespace);
    // An agent may reconnect before the failure of its old connection is detected: the new one replaces it.
    const before = byName.get(name);
    byName.set(name, connection);
    if (before !== connection) before?.close(AGENT_REPLACED, 'another agent with this name has connected');
    this.#unsubscribe(connection);
    this.#connections.set(connection, subscriptions);
    for (const subscription of subscriptions) {
      const connections = bySubscription.get(subscription);
      if (connections === undefined) bySubscription.set(subscription, new Set([connection]));
      else connections.add(connection);
    }
    this.#parts.log.info({ namespace, client: name, subscriptions }, 'agent connected');
  }

  #leave(connection: AgentLink): boolean {
    const { namespace, name } = connection;
    this.#unsubscribe(connection);
    this.#connections.delete(connection);
    this.#pending.delete(connection);
    this.#changed.delete(connection);
    const agents = this.#namespaces.get(namespace);
    if (agents?.byName.get(name) !== connection) return false;
    agents.byName.delete(name);
    if (agents.byName.size === 0) this.#namespaces.delete(namespace);
    this.#parts.log.info({ namespace, client: name }, 'agent disconnected');
    return true;
  }

  #agentsOf(namespace: string): NamespaceAgents {
    let agents = this.#namespaces.get(namespace);
    if (agents === undefined) {
      agents = { byName: new Map(), bySubscription: new Map() };
      this.#namespaces.set(namespace, agents);
    }
    return agents;
  }

  #unsubscribe(connection: AgentLink): void {
    const bySubscription = this.#namespaces.get(connection.namespace)?.bySubscription;
    for (const subscription of this.#connections.get(connection) ?? []) {
      const connections = bySubscription?.get(subscription);
      connections?.delete(connection);
      if (connections?.size === 0) bySubscription?.delete(subscription);
    }
  }
}

/** Sends the request to the first connection of the queue, and moves that to the end. */
function sendToNext(line: Set<AgentLink>, request: OutgoingRequest): void {
  for (let left = line.size; left > 0; left--) {
    const [connection] = line;
    if (connection === undefined) return;
    line.delete(connection);
    line.add(connection);
    if (connection.request(request)) return;
  }
}
