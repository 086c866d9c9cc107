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

/** The parts of the backend that connections of agents use. */
export interface AgentParts {
  readonly batcher: Batcher;
  readonly results: Results;
  readonly clients: Clients;
  readonly registry: Registry;
  readonly store: Pick<Store, 'getMany' | 'canAmend'>;
  readonly definitions: Pick<Definitions, 'in' | 'keepalives'>;
  /** Aborted when the backend stops. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts that one connection uses. */
export interface AdmittedParts extends AgentParts {
  /** Checks whether its credentials are still valid. */
  readonly admission: Admission;
  readonly rejected: RejectedResults;
  readonly baselineBudget: BaselineBudget;
}

/** One connected agent, whichever protocol it speaks. */
export interface AgentLink {
  readonly namespace: string;
  /** Empty before `hello`. */
  readonly name: string;
  readonly subscriptions: readonly string[];
  /** Whether the agent says that it cannot write results to its disk. */
  readonly cannotSpool?: boolean;
  /** @returns false if the connection is closing */
  request(request: OutgoingRequest): boolean;
  close(code: number, reason: string): void;
  /** Cuts off an agent that did not answer the last ping, and pings again. */
  beat(): void;
  /** Called after a commit, if the connection requested it. */
  proceed(): void;
  /** Called when the registry was read again from the store. */
  discardBaselines?(): void;
  /** Called after a commit that changed or removed the client of this agent. */
  clientChanged?(): void;
}

/** The callbacks of a connection to the hub. */
export interface HubCallbacks {
  /** Called when name, namespace and subscriptions are known, and when the subscriptions change. */
  joined(): void;
  /** @returns false if another connection has replaced it */
  left(): boolean;
  /** Requests a call of `proceed` after the next commit. */
  waits(): void;
}
