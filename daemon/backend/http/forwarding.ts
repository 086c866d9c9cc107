import type { FastifyInstance } from 'fastify';

/** Forwards requests between backends that share a store. */
export interface RequestForwarding {
  /**
   * Adds a hook that accepts the requests which other backends forward. Call it before you add hooks that authenticate
   * callers.
   */
  receive(app: FastifyInstance): void;
  /**
   * Adds a hook that forwards the requests which another backend must answer. Call it after you have added all hooks
   * that can reject a request.
   *
   * @param isOfV2 true if the listener serves only the v2 API
   */
  forward(app: FastifyInstance, isOfV2: boolean): void;
}
