import type { Log } from '../../log/log.ts';
import type { Definitions } from '../config/definitions.ts';
import type { Clock, Store } from '../ports.ts';
import type { Admission } from '../access/admission.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clients } from '../clients/write.ts';
import type { BaseRoom } from '../results/result-bases.ts';
import type { Results } from '../results/write.ts';
import type { Registry } from '../registry/registry.ts';
import { OutgoingRequest } from './outgoing-request.ts';
import { RefusedResults } from './refused-results.ts';

/** What connections of agents need from the rest of the backend. */
export interface AgentParts {
  readonly batcher: Batcher;
  readonly results: Results;
  readonly clients: Clients;
  readonly registry: Registry;
  readonly store: Pick<Store, 'getMany' | 'canAmend'>;
  readonly definitions: Pick<Definitions, 'in' | 'keepalives'>;
  /** Aborted once it is the backend that says goodbye. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** What one connection needs. */
export interface AdmittedParts extends AgentParts {
  /** Whether its credentials still count. */
  readonly admission: Admission;
  readonly refused: RefusedResults;
  readonly baseRoom: BaseRoom;
}

/** One connected agent, whichever protocol it speaks. */
export interface AgentLink {
  readonly namespace: string;
  /** Empty until it has said who it is. */
  readonly name: string;
  readonly subscriptions: readonly string[];
  /** Whether the agent says that it cannot write results to its disk. */
  readonly cannotSpool?: boolean;
  /** @returns false when the connection is on its way out */
  request(request: OutgoingRequest): boolean;
  close(code: number, reason: string): void;
  /** Cuts off an agent that did not answer the last ping, and pings again. */
  beat(): void;
  /** Called after a commit, when it said that it waits for one. */
  proceed(): void;
  /** Called when everything was read again from the store. */
  forgetResults?(): void;
  /** Called after a commit that changed or removed the client of this agent. */
  clientChanged?(): void;
}

/** What a connection tells the hub. */
export interface Membership {
  /** When name, namespace and subscriptions are known, and whenever the subscriptions changed. */
  joined(): void;
  /** @returns whether it was still the one of its name */
  left(): boolean;
  /** `proceed` is to be called after the next commit. */
  waits(): void;
}
