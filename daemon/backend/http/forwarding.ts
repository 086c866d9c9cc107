import type { FastifyInstance } from 'fastify';

/** Forwards requests between backends that share a store. */
export interface RequestForwarding {
  /**
   * Adds a hook that accepts requests which other backends forward. Call it before hooks that authenticate callers are
   * added.
   */
  receive(app: FastifyInstance): void;
  /**
   * Adds a hook that forwards requests which another backend must answer. Call it after hooks that may reject a request
   * are added.
   *
   * @param isOfV2 true if the listener serves only the v2 API
   */
  forward(app: FastifyInstance, isOfV2: boolean): void;
}
