import { hasOneConsumer } from '../../../shared/domain/subscription.ts';
import { AGENT_REPLACED_CLOSE_CODE, type CheckRequest } from '../../../shared/schemas/agent.ts';
import type { Change } from '../ports.ts';
import type { Admission } from '../access/admission.ts';
import type { V2AgentIdentity } from './agent-access.ts';
import { BaselineBudget } from '../results/baselines.ts';
import { AgentConnection, type IdentityLimits } from './agent-connection.ts';
import { V2AgentConnection } from './v2-agent-connection.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import { OutgoingRequest } from './outgoing-request.ts';
import { RejectedResults } from './rejected-results.ts';
import type { AgentDependencies, AgentLink, HubCallbacks } from './agent-link.ts';

/** The connected agents of one namespace. */
interface NamespaceAgents {
  readonly byName: Map<string, AgentLink>;
  readonly bySubscription: Map<string, Set<AgentLink>>;
}

/** Interval of pings to agents in milliseconds. A connection whose agent did not answer the last ping is closed. */
const HEARTBEAT_MS = 30_000;

/** The connected agents. Sends them check requests by subscription, and resumes connections that wait for a commit. */
export class AgentHub implements Disposable {
  readonly #dependencies: AgentDependencies;
  /** All open connections, each with the subscriptions for which it gets check requests. */
  readonly #connections = new Map<AgentLink, readonly string[]>();
  readonly #namespaces = new Map<string, NamespaceAgents>();
  /** Agent connections whose `proceed` is called after the next commit. */
  readonly #pending = new Set<AgentLink>();
  /** Agent connections whose `clientChanged` is called after the commit, because it changed or deleted their client. */
  readonly #changed = new Set<AgentLink>();
  readonly #rejected: RejectedResults;
  readonly #baselineBudget = new BaselineBudget();
  /**
   * The registry's generation, a number that each reload changes. The baselines of delta results are valid only for it.
   */
  #generation: number;
  readonly #disposables: Disposable[];

  constructor(dependencies: AgentDependencies) {
    this.#dependencies = dependencies;
    this.#rejected = new RejectedResults(dependencies);
    this.#generation = dependencies.registry.generation;
    this.#disposables = [
      this.#rejected,
      dependencies.batcher.commits.onCommit(({ changes }) => this.#noteChanges(changes)),
      dependencies.batcher.commits.onIdle(() => this.#afterCommit()),
      dependencies.clock.every(HEARTBEAT_MS, () => {
        for (const connection of this.#connections.keys()) connection.beat();
      }),
    ];
  }

  /** Number of connected agents. */
  get size(): number {
    let size = 0;
    for (const { byName } of this.#namespaces.values()) size += byName.size;
    return size;
  }

  /** Number of connected agents that report that they cannot write results to their disk. */
  get unableToSpool(): number {
    let count = 0;
    for (const { cannotSpool } of this.#connections.keys()) if (cannotSpool === true) count += 1;
    return count;
  }

  /**
   * Adds the open WebSocket of a mon agent, which negotiated `AGENT_PROTOCOL`.
   *
   * @param identity identity that the agent stated in its handshake, or to which its credentials limit it
   */
  accept(socket: FrameSocket, identity: IdentityLimits, admission: Admission): void {
    const parts = { ...this.#dependencies, rejected: this.#rejected, baselineBudget: this.#baselineBudget, admission };
    this.#add((membership) => new AgentConnection(socket, identity, parts, membership));
  }

  /**
   * Adds the open WebSocket of a v2 agent.
   *
   * @param identity identity that the agent stated in its handshake
   */
  acceptV2(socket: FrameSocket, identity: V2AgentIdentity, admission: Admission): void {
    const parts = { ...this.#dependencies, rejected: this.#rejected, baselineBudget: this.#baselineBudget, admission };
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
      agentJoined: () => this.#join(connection),
      agentLeft: () => this.#removeConnection(connection),
      requestProceed: () => this.#pending.add(connection),
    });
    this.#connections.set(connection, []);
    return connection;
  }

  /** Returns the connection of an agent by its name, or undefined if the agent is not connected. */
  find(namespace: string, name: string): AgentLink | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name);
  }

  /**
   * Sends a check request to all agents with a subscription. A round-robin check goes only to the next one of them
   * (completion 1.13).
   */
  publish(namespace: string, subscription: string, check: CheckRequest): void {
    const connections = this.#namespaces.get(namespace)?.bySubscription.get(subscription);
    if (connections === undefined) return;
    const isForOne = check['round_robin'] === true || hasOneConsumer(subscription);
    const request = new OutgoingRequest(check);
    if (isForOne) sendToNext(connections, request);
    else for (const connection of connections) connection.request(request);
  }

  [Symbol.dispose](): void {
    for (const part of this.#disposables) part[Symbol.dispose]();
  }

  /**
   * Calls `proceed` of the connections that wait for a commit, so that each sends one acknowledgement even for many
   * frames. Then calls `clientChanged` of the connections whose client changed.
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

  /**
   * Discards the baselines (full results to which delta results refer) after a reload of the registry: they would keep
   * entries of the old registry in memory.
   */
  #discardOutdated(): void {
    const { generation } = this.#dependencies.registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    for (const connection of this.#connections.keys()) connection.discardBaselines?.();
  }

  #join(connection: AgentLink): void {
    const { namespace, name, subscriptions } = connection;
    const { byName, bySubscription } = this.#agentsOf(namespace);
    // If an agent reconnects before its old connection is known to have failed, the new connection replaces the old.
    const before = byName.get(name);
    byName.set(name, connection);
    if (before !== connection) before?.close(AGENT_REPLACED_CLOSE_CODE, 'another agent with this name has connected');
    this.#unsubscribe(connection);
    this.#connections.set(connection, subscriptions);
    for (const subscription of subscriptions) {
      const connections = bySubscription.get(subscription);
      if (connections === undefined) bySubscription.set(subscription, new Set([connection]));
      else connections.add(connection);
    }
    this.#dependencies.log.info({ namespace, client: name, subscriptions }, 'agent connected');
  }

  #removeConnection(connection: AgentLink): boolean {
    const { namespace, name } = connection;
    this.#unsubscribe(connection);
    this.#connections.delete(connection);
    this.#pending.delete(connection);
    this.#changed.delete(connection);
    const agents = this.#namespaces.get(namespace);
    if (agents?.byName.get(name) !== connection) return false;
    agents.byName.delete(name);
    if (agents.byName.size === 0) this.#namespaces.delete(namespace);
    this.#dependencies.log.info({ namespace, client: name }, 'agent disconnected');
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

/** Sends the request to the first connection in the queue that is open. Connections that were tried move to the end. */
function sendToNext(line: Set<AgentLink>, request: OutgoingRequest): void {
  for (let left = line.size; left > 0; left--) {
    const [connection] = line;
    if (connection === undefined) return;
    line.delete(connection);
    line.add(connection);
    if (connection.request(request)) return;
  }
}
