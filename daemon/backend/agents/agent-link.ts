import type { Log } from '../../log/log.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { Clock, Store } from '../ports.ts';
import type { Admission } from '../access/admission.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clients } from '../clients/commands.ts';
import type { BaselineBudget } from '../results/baselines.ts';
import type { Results } from '../results/commands.ts';
import type { Registry } from '../model/registry/registry.ts';
import { OutgoingRequest } from './outgoing-request.ts';
import { RejectedResults } from './rejected-results.ts';

/** Dependencies of all agent connections. */
export interface AgentDependencies {
  readonly batcher: Batcher;
  readonly results: Results;
  readonly clients: Clients;
  readonly registry: Registry;
  readonly store: Pick<Store, 'getMany' | 'canAmend'>;
  readonly definitions: Pick<Definitions, 'inNamespace' | 'keepalives'>;
  /** A signal that is aborted when the backend stops. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Dependencies of a single agent connection, whose credentials were accepted. */
export interface AdmittedConnectionDependencies extends AgentDependencies {
  /** Throws if the credentials of the connection are no longer valid. */
  readonly admission: Admission;
  readonly rejected: RejectedResults;
  readonly baselineBudget: BaselineBudget;
}

/** The connection to an agent, in the protocol of mon agents or in that of v2 agents. */
export interface AgentLink {
  readonly namespace: string;
  /** Name of the agent's client; empty until the agent has stated it. */
  readonly name: string;
  readonly subscriptions: readonly string[];
  /** True if the agent reports that it cannot write results to its disk. Default: false. */
  readonly cannotSpool?: boolean;
  /** Sends a check request to the agent. @returns false if the connection is closing */
  request(request: OutgoingRequest): boolean;
  close(code: number, reason: string): void;
  /** Closes the connection if the agent did not answer the last ping; otherwise sends the next ping. */
  beat(): void;
  /** Called after a commit, if the connection has requested it by calling `requestProceed` of its `HubCallbacks`. */
  proceed(): void;
  /**
   * Called when the registry was reloaded from the store. The baselines of delta results still refer to entries from
   * before the reload.
   */
  discardBaselines?(): void;
  /** Called after a commit that changed or deleted the client of this agent. */
  clientChanged?(): void;
}

/** Callbacks by which an agent connection informs the `AgentHub`. */
export interface HubCallbacks {
  /** Called when the agent's name, namespace and subscriptions are known, and when its subscriptions change. */
  agentJoined(): void;
  /** Called when the connection has closed. @returns false if another connection of the same agent has replaced it */
  agentLeft(): boolean;
  /** Requests that the hub calls `proceed` after the next commit. */
  requestProceed(): void;
}
