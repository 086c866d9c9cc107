import type { FastifyInstance } from 'fastify';

/** Forwards requests between backends that share a store. */
export interface RequestForwarding {
  /** Accepts requests that other backends forward. Call it before anything is added that authenticates callers. */
  receive(app: FastifyInstance): void;
  /**
   * Forwards requests that another backend must answer. Call it after everything is added that a request must pass.
   *
   * @param isOfV2 true if the listener serves only the v2 API
   */
  forward(app: FastifyInstance, isOfV2: boolean): void;
}
